export const tarBlockBytes = 512

/** The header of an entry, one block long: POSIX ustar or GNU tar. */
export interface TarHeader {
  readonly name: Buffer
  readonly bytes: number
  /** One character: `0` is a file, `5` a folder, `x` an extension of the next entry's header. */
  readonly type: string
}

/** `end`: a block of zeros. Null: not a header. */
export function parseTarHeader(block: Buffer): TarHeader | 'end' | null {
  if (block.equals(zeros)) return 'end'
  if (numberAt(block, 148, 8) !== checksumOf(block)) return null
  const bytes = numberAt(block, 124, 12)
  if (bytes === null) return null
  // GNU tar's own format ends the magic with spaces and has other fields in place of the prefix.
  const hasPrefix = block.toString('latin1', 257, 263) === 'ustar\0' && block[345] !== 0
  const name = textAt(block, 0, 100)
  return {
    name: hasPrefix ? Buffer.concat([textAt(block, 345, 155), Buffer.from('/'), name]) : name,
    bytes,
    type: block[156] === 0 ? '0' : block.toString('latin1', 156, 157),
  }
}

/** The fields of an `x` entry that replace fields of the next entry's header. */
export interface TarExtension {
  readonly name?: Buffer
  readonly bytes?: number
  readonly isSparse?: true
}

/** Parses lines of `<length> <key>=<value>\n` (POSIX pax). Null for anything else. */
export function parseTarExtension(content: Buffer): TarExtension | null {
  const found: { -readonly [key in keyof TarExtension]: TarExtension[key] } = {}
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at)
    const length = digits(content.toString('latin1', at, Math.min(space, at + 8)), 10)
    if (space === -1 || length === null || content[at + length - 1] !== newline) return null
    const equals = content.indexOf('=', space)
    if (equals === -1 || equals >= at + length) return null
    const key = content.toString('latin1', space + 1, equals)
    const value = content.subarray(equals + 1, at + length - 1)
    if (key === 'path' && value.length > 0) found.name = value
    if (key.startsWith('GNU.sparse.')) found.isSparse = true
    if (key === 'size') {
      const bytes = digits(value.toString('latin1'), 10)
      if (bytes === null) return null
      found.bytes = bytes
    }
    at += length
  }
  return found
}

const newline = 0x0a
const zeros = Buffer.alloc(tarBlockBytes)

/** Up to the first NUL. */
export function textAt(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return end === -1 ? field : field.subarray(0, end)
}

/** Octal digits between spaces or NULs; with the first bit set, a binary number. */
function numberAt(block: Buffer, start: number, length: number): number | null {
  if (block[start] === 0x80) {
    // Six bytes: more would be beyond 2^53.
    const isSmall = block.subarray(start + 1, start + length - 6).every((byte) => byte === 0)
    return isSmall ? block.readUIntBE(start + length - 6, 6) : null
  }
  const text = block
    .toString('latin1', start, start + length)
    .replaceAll('\0', ' ')
    .trim()
  return text === '' ? 0 : digits(text, 8)
}

function digits(text: string, base: 8 | 10): number | null {
  const isNumber = base === 8 ? /^[0-7]{1,12}$/.test(text) : /^[0-9]{1,15}$/.test(text)
  return isNumber ? Number.parseInt(text, base) : null
}

/** The sum of all bytes, with spaces in place of the checksum field. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}
