import { editedBytesMax } from './live-file.ts'

/** How the characters of a file are written. */
export type TextEncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

/** A file that can be edited as text. `encodeText` gives the bytes that it was read from. */
export interface TextFile {
  /** With the file's own line ends, without its byte order mark. */
  readonly text: string
  readonly encoding: TextEncodingName
  readonly hasMark: boolean
}

/** Null for what is not text, or too large to be edited. */
export const decodeEditable = (bytes: Uint8Array): TextFile | null =>
  bytes.length > editedBytesMax ? null : decodeText(bytes)

/** Null for what is not text. Bytes that are not Unicode are read as Windows-1252, where every byte is a character. */
export function decodeText(bytes: Uint8Array): TextFile | null {
  for (const [encoding, mark] of marks) {
    if (!startsWith(bytes, mark)) continue
    const text = decodeWith(encoding, bytes.subarray(mark.length))
    // Half a character at the end, or an unpaired surrogate: it could not be written again.
    return text === null ? null : { text, encoding, hasMark: true }
  }
  if (bytes.includes(0)) return null
  const text = decodeWith('utf-8', bytes)
  if (text !== null) return { text, encoding: 'utf-8', hasMark: false }
  return { text: latinOf(bytes), encoding: 'windows-1252', hasMark: false }
}

/** The bytes of the text; null where the encoding has no such character. */
export function encodeText({ text, encoding, hasMark }: TextFile): Uint8Array<ArrayBuffer> | null {
  const mark = hasMark ? (marks.find(([name]) => name === encoding)?.[1] ?? []) : []
  const body = encodeBody(text, encoding)
  if (body === null) return null
  const bytes = new Uint8Array(mark.length + body.length)
  bytes.set(mark)
  bytes.set(body, mark.length)
  return bytes
}

const marks: readonly (readonly [Exclude<TextEncodingName, 'windows-1252'>, readonly number[]])[] =
  [
    ['utf-8', [0xef, 0xbb, 0xbf]],
    ['utf-16le', [0xff, 0xfe]],
    ['utf-16be', [0xfe, 0xff]],
  ]

const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, at) => bytes[at] === byte)

function decodeWith(encoding: string, bytes: Uint8Array): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

function encodeBody(text: string, encoding: TextEncodingName): Uint8Array | null {
  switch (encoding) {
    case 'utf-8':
      return new TextEncoder().encode(text)
    case 'utf-16le':
    case 'utf-16be': {
      const view = new DataView(new ArrayBuffer(text.length * 2))
      for (let at = 0; at < text.length; at++) {
        view.setUint16(at * 2, text.charCodeAt(at), encoding === 'utf-16le')
      }
      return new Uint8Array(view.buffer)
    }
    case 'windows-1252':
      return latinBytesOf(text)
  }
}

const latinOf = (bytes: Uint8Array): string => new TextDecoder('windows-1252').decode(bytes)

function latinBytesOf(text: string): Uint8Array | null {
  const all = latinOf(Uint8Array.from({ length: 256 }, (_, byte) => byte))
  const byteOf = new Map(Array.from(all, (char, byte) => [char, byte]))
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) {
    const byte = byteOf.get(text.charAt(at))
    if (byte === undefined) return null
    bytes[at] = byte
  }
  return bytes
}
