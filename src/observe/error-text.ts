/** Of an error and those that caused it. */
const causesMax = 8
const errorCharsMax = 2 * 1024
const stackCharsMax = 16 * 1024

/** An error and its causes in one line, without secrets: `Error: refresh failed <- TypeError: offline`. */
export function errorText(error: Error): string {
  return redactedAndCut(chainOf(error).map(headline).join(' <- '), errorCharsMax)
}

/** The stacks of an error and of its causes, without secrets; the longest first part of them where they are too long. */
export function stackText(error: Error): string {
  const stacks = chainOf(error).map((link) => [headline(link), ...framesOf(link)].join('\n'))
  return redactedAndCut(stacks.join('\ncaused by '), stackCharsMax)
}

/**
 * Whether somebody foresaw it: it has a class of its own, whose name and fields say what happened. Others are
 * of the language or the system, and only their stack says where they came from.
 */
export const isTyped = (error: Error): boolean => !builtIns.has(error.constructor)

const builtIns: ReadonlySet<unknown> = new Set([
  ...[Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError],
  ...[TypeError, URIError, DOMException],
])

/** In this order: half a secret does not look like one. */
export function redactedAndCut(text: string, charsMax: number): string {
  const shown = redacted(text)
  return shown.length > charsMax ? `${shown.slice(0, charsMax - 1)}…` : shown
}

/** Also those that an AggregateError stands for, such as one a network address. */
function chainOf(error: Error): Error[] {
  const chain = new Set([error])
  for (const link of chain) {
    const errors = link instanceof AggregateError ? link.errors : []
    for (const next of [link.cause, ...errors]) {
      if (next instanceof Error && chain.size < causesMax) chain.add(next)
    }
  }
  return [...chain]
}

const headline = ({ name, message }: Error): string => `${name}: ${message}`

// The stack's own first lines have the name of the base class, and the whole message again.
const framesOf = ({ stack = '' }: Error): string[] =>
  stack.split('\n').filter((line) => /^\s+at /.test(line))

/** The text without what looks like a secret in it, wherever that came from: a message of a library, an address. */
const redacted = (text: string): string =>
  secrets.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text)

const secrets: readonly [pattern: RegExp, shown: string][] = [
  [/\b(Bearer|DPoP|Basic) [\w.~+/=-]{8,}/g, '$1 [redacted]'],
  // A JSON Web Token, or a key as one.
  [/\beyJ[\w-]{8,}(\.[\w-]*)*/g, '[redacted]'],
  [/(:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}@/g, '$1[redacted]@'],
  [
    /([?&;\s](?:code|state|nonce|sid|[a-z_]*(?:token|secret|password|verifier|challenge))=)[^\s&;"']{1,2000}/gi,
    '$1[redacted]',
  ],
]
