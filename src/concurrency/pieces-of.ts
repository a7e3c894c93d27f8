/** A multiple of three: base64 of a piece needs no padding. */
export const pieceBytes = 192 * 1024

/** Reads a blob piece by piece. Bun's `Blob.stream` reads far ahead of its consumer. */
export async function* piecesOf(content: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.size; start += pieceBytes) {
    yield await content.slice(start, start + pieceBytes).bytes()
  }
}
