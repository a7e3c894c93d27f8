/** Bytes of the string in UTF-8, as `Buffer.byteLength` counts them; in browsers too. */
export function utf8Bytes(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    bytes += code < 0x800 ? 1 : 2
    if (isPair(text, at)) at++
  }
  return bytes
}

/** Whether its UTF-8 is longer than `bytesMax`; does not count where the number of units tells. */
export function exceedsUtf8Bytes(text: string, bytesMax: number): boolean {
  const unitBytesMax = 3
  return text.length * unitBytesMax > bytesMax && utf8Bytes(text) > bytesMax
}

/** A character for each byte of the UTF-8, for matching by bytes. */
export function utf8AsLatin1(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return text
  const bytes = new TextEncoder().encode(text)
  let latin1 = ''
  // An argument for each byte: a stack has room for some ten thousand.
  for (let at = 0; at < bytes.length; at += 8192) {
    latin1 += String.fromCharCode(...bytes.subarray(at, at + 8192))
  }
  return latin1
}

/** Whether two units at `at` are one character beyond U+FFFF: four bytes in UTF-8. */
function isPair(text: string, at: number): boolean {
  const first = text.charCodeAt(at)
  if (first < 0xd800 || first >= 0xdc00) return false
  const second = text.charCodeAt(at + 1)
  return second >= 0xdc00 && second < 0xe000
}
