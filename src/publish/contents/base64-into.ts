const digits = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')

/**
 * Writes base64 (RFC 4648 §4) of `bytes` to the start of `buffer` and returns that part of it. Makes no string: the strings
 * of a large file are as long as the file, and wait for the garbage collector.
 */
export function base64Into(buffer: Uint8Array, bytes: Uint8Array): Uint8Array {
  const rest = bytes.length % 3
  let end = 0
  for (let at = 0; at < bytes.length - rest; at += 3) {
    const three = (byteAt(bytes, at) << 16) | (byteAt(bytes, at + 1) << 8) | byteAt(bytes, at + 2)
    buffer[end++] = byteAt(digits, three >> 18)
    buffer[end++] = byteAt(digits, (three >> 12) & 63)
    buffer[end++] = byteAt(digits, (three >> 6) & 63)
    buffer[end++] = byteAt(digits, three & 63)
  }
  if (rest === 0) return buffer.subarray(0, end)
  const last = Buffer.from(Buffer.from(bytes.subarray(-rest)).toString('base64'))
  buffer.set(last, end)
  return buffer.subarray(0, end + last.length)
}

const byteAt = (bytes: Uint8Array, at: number): number => bytes[at] as number
