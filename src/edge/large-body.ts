import type { RangeDecision } from '#site/range.ts'

type Part = Exclude<RangeDecision, string>

/** These bytes of what is stored, read as the visitor takes them. */
export function storedPart(stored: Blob, { first, last }: Part): Blob {
  // Also the whole is a slice: of a file that is none, Bun answers `Range` by itself (Bun 1.4.5).
  return stored.slice(first, last + 1)
}

/**
 * These bytes of what stored gzip decodes to, decoded as the visitor takes them: one who is slow holds it, one
 * who leaves ends it.
 */
export function decodedPart(stored: Blob, part: Part): ReadableStream<Uint8Array> {
  return stored.stream().pipeThrough(new DecompressionStream('gzip')).pipeThrough(only(part))
}

function only({ first, last }: Part): TransformStream<Uint8Array, Uint8Array> {
  let at = 0
  return new TransformStream({
    transform(chunk, controller) {
      const piece = chunk.subarray(Math.max(0, first - at), Math.max(0, last + 1 - at))
      if (piece.length > 0) controller.enqueue(piece)
      at += chunk.length
      if (at > last) controller.terminate()
    },
  })
}
