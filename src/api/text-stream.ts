/**
 * The strings of a generator as a body in UTF-8, read at the client's pace. Calls `onEnd` once: at the end, with the
 * error that broke it off, or when the client is gone.
 */
export function textStream(
  pieces: AsyncGenerator<string>,
  onEnd: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  let hasEnded = false
  const end = (error?: unknown): void => {
    if (!hasEnded) onEnd(error)
    hasEnded = true
  }
  return new ReadableStream<string>({
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
  }).pipeThrough(new TextEncoderStream())
}
