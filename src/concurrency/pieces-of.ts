/** A multiple of three: base64 of a piece needs no padding. */
export const pieceBytes = 192 * 1024

/** Reads a blob piece by piece. Bun's `Blob.stream` reads far ahead of its consumer. */
export async function* piecesOf(content: Blob): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < content.size; start += pieceBytes) {
    yield await content.slice(start, start + pieceBytes).bytes()
  }
}

/**
 * As `piecesOf`, for a consumer that keeps nothing of a piece once it asks for the next one: each piece is freed then,
 * long before the garbage collector would find it.
 */
export async function* passingPiecesOf(content: Blob): AsyncGenerator<Uint8Array> {
  for await (const piece of piecesOf(content)) {
    yield piece
    free(piece)
  }
}

/** Frees the memory of bytes that nobody uses any more, and of all else in their buffer. */
export function free({ buffer }: Uint8Array): void {
  // Node 20 has no `transfer`.
  if (buffer instanceof ArrayBuffer) buffer.transfer?.(0)
}
