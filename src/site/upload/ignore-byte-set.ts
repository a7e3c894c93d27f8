/** 256 entries: 1 for each byte in the set. */
export type ByteSet = Readonly<Uint8Array>

/**
 * Parses `[a-z]`, `[!a]`, `[^a]`, `[]-]`, `[[:digit:]]` as git's wildmatch.c does, which differs from the standard
 * for incomplete ones. Returns a sentence if git would match nothing.
 */
export function readByteSet(
  source: string,
  start: number,
): { token: ByteSet; end: number } | string {
  const isNegated = source[start + 1] === '!' || source[start + 1] === '^'
  const first = start + (isNegated ? 2 : 1)
  const set = new Uint8Array(256)
  let previous: number | null = null
  let at = first
  while (at === first || source[at] !== ']') {
    const member = readMember(source, at, previous)
    if (typeof member === 'string') return member
    for (const byte of member.bytes) set[byte] = 1
    previous = member.last
    at = member.end
  }
  return { token: isNegated ? set.map((bit) => 1 - bit) : set, end: at + 1 }
}

interface Member {
  readonly bytes: Iterable<number>
  /** The low end of a range that follows. */
  readonly last: number | null
  readonly end: number
}

const unclosed = 'has a [ without its ]'

function readMember(source: string, at: number, previous: number | null): Member | string {
  const next = source[at + 1]
  if (source[at] === '[' && next === ':') return readClass(source, at)
  const isRange = source[at] === '-' && previous !== null && next !== undefined && next !== ']'
  const byteAt = isRange ? at + 1 : at
  const isEscaped = source[byteAt] === '\\'
  const byte = source.charCodeAt(isEscaped ? byteAt + 1 : byteAt)
  if (Number.isNaN(byte)) return unclosed
  const end = byteAt + (isEscaped ? 2 : 1)
  return isRange ? { bytes: bytesBetween(previous, byte), last: null, end } : one(byte, end)
}

function readClass(source: string, at: number): Member | string {
  const close = source.indexOf(']', at + 2)
  if (close === -1) return unclosed
  if (close === at + 2 || source[close - 1] !== ':') return one(source.charCodeAt(at), at + 1)
  const name = source.slice(at + 2, close - 1)
  const pattern = classes.get(name)
  if (pattern === undefined) return `has an unknown class [:${name}:]`
  const bytes = bytesBetween(0, 127).filter((byte) => pattern.test(String.fromCharCode(byte)))
  return { bytes, last: null, end: close + 1 }
}

const one = (byte: number, end: number): Member => ({ bytes: [byte], last: byte, end })

const bytesBetween = (low: number, high: number): number[] =>
  Array.from({ length: Math.max(0, high - low + 1) }, (_, i) => low + i)

// Control characters, which no path has, are in none of them.
const classes = new Map([
  ['alnum', /[a-z0-9]/i],
  ['alpha', /[a-z]/i],
  ['blank', / /],
  ['cntrl', /(?!)/],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', / /],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9a-f]/i],
])
