import { addAbortSignal, type Transform } from 'node:stream'

/**
 * What `step` makes of `source`. Asks for a chunk once the step has consumed the one before, which a pipeline of streams
 * does not: so the source may use one buffer again and again. Reading throws the source's and the step's errors.
 */
export function throughStep(
  source: AsyncIterable<Uint8Array>,
  step: Transform,
  signal?: AbortSignal,
): AsyncIterable<Uint8Array> {
  // For a reader that has stopped reading.
  step.on('error', () => undefined)
  if (signal) addAbortSignal(signal, step)
  void feed(source, step)
  return step
}

async function feed(source: AsyncIterable<Uint8Array>, step: Transform): Promise<void> {
  try {
    for await (const chunk of source) await consumed(chunk, step)
    step.end()
  } catch (error) {
    step.destroy(error as Error)
  }
}

const consumed = (chunk: Uint8Array, step: Transform): Promise<void> =>
  new Promise((resolve, reject) => {
    step.write(chunk, (error) => (error ? reject(error) : resolve()))
  })
