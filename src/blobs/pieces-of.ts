/** A multiple of three: pieces of base64 need no rest. */
export const pieceBytes = 192 * 1024

/** The bytes one piece at a time. `Blob.stream` of Bun reads far ahead of whoever takes them. */
export async function* piecesOf(content: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.size; start += pieceBytes) {
    yield await content.slice(start, start + pieceBytes).bytes()
  }
}
