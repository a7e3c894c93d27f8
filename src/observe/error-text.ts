/** Including the error. */
const causesMax = 8
const errorCharsMax = 2 * 1024
const stackCharsMax = 16 * 1024

/** An error and its causes in one line, without secrets: `Error: refresh failed <- TypeError: offline`. */
export function errorText(error: Error): string {
  return redactedAndCut(chainOf(error).map(headline).join(' <- '), errorCharsMax)
}

/** The stacks of an error and its causes, without secrets, truncated. */
export function stackText(error: Error): string {
  const stacks = chainOf(error).map((link) => [headline(link), ...framesOf(link)].join('\n'))
  return redactedAndCut(stacks.join('\ncaused by '), stackCharsMax)
}

/**
 * Whether the error has a class of its own, whose name and fields explain it. For an error of the language or the
 * system only the stack tells where it came from.
 */
export const isTyped = (error: Error): boolean => !builtIns.has(error.constructor)

const builtIns: ReadonlySet<unknown> = new Set([
  ...[Error, AggregateError, EvalError, RangeError, ReferenceError, SyntaxError],
  ...[TypeError, URIError, DOMException],
])

/** Redacts before it truncates: half a secret does not match the patterns. */
export function redactedAndCut(text: string, charsMax: number): string {
  const shown = redacted(text)
  return shown.length > charsMax ? `${shown.slice(0, charsMax - 1)}…` : shown
}

/** Includes the errors of an AggregateError, such as one per network address. */
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

// Without the stack's first lines, which repeat the message under the name of the base class.
const framesOf = ({ stack = '' }: Error): string[] =>
  stack.split('\n').filter((line) => /^\s+at /.test(line))

/** Replaces everything that looks like a secret, for example in a library's message or a URL. */
const redacted = (text: string): string =>
  secrets.reduce((rest, [pattern, shown]) => rest.replace(pattern, shown), text)

const secrets: readonly [pattern: RegExp, shown: string][] = [
  [/\b(Bearer|DPoP|Basic) [\w.~+/=-]{8,}/g, '$1 [redacted]'],
  // A JSON Web Token or key.
  [/\beyJ[\w-]{8,}(\.[\w-]*)*/g, '[redacted]'],
  // Whoever has the address may sign in.
  [/(\/invitation\/)[^\s/?#]{1,200}/g, '$1[redacted]'],
  [/(:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}@/g, '$1[redacted]@'],
  [
    /([?&;\s](?:code|state|nonce|sid|[a-z_]*(?:token|secret|password|verifier|challenge))=)[^\s&;"']{1,2000}/gi,
    '$1[redacted]',
  ],
]
