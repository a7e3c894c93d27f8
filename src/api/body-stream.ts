/** The strings of a generator as a body in UTF-8; otherwise as `pieceStream`. */
export function textStream(
  pieces: AsyncGenerator<string>,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  return pieceStream(pieces, onEnd).pipeThrough(new TextEncoderStream())
}

/**
 * The pieces of a generator, read at the client's pace. Calls `onEnd` once: at the end, with the error that broke it
 * off, or when the client is gone.
 */
export function pieceStream<Piece>(
  pieces: AsyncGenerator<Piece>,
  onEnd: (error?: unknown) => void,
): ReadableStream<Piece> {
  let hasEnded = false
  const end = (error?: unknown): void => {
    if (!hasEnded) onEnd(error)
    hasEnded = true
  }
  return new ReadableStream<Piece>({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (error) {
        end(error)
        controller.error(error)
      }
    },
    async cancel() {
      end()
      await pieces.return(undefined)
    },
  })
}
