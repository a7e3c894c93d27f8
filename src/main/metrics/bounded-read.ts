import { withTimeout } from '#concurrency/or-aborted.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'

const answerMsMax = 2_000

/** A scrape must not wait for a database that hangs, nor ask it again before it has answered. */
export function boundedRead<T>(
  what: string,
  read: () => Promise<T>,
  msMax = answerMsMax,
): () => Promise<T> {
  const running = new SingleFlight<string, T>()
  return () =>
    withTimeout(running.run(what, read), msMax, () => {
      throw new Error(`no answer within ${msMax} ms; of=${what}`)
    })
}
