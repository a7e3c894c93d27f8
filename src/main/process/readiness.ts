import { withTimeout } from '#concurrency/or-aborted.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'

const answerMsMax = 2_000

/**
 * Checks that all probes resolve, each in a single flight: a probe that hangs is not called again before it has ended.
 * Rejects with the first failure, or after `msMax`.
 */
export function readiness(
  probes: Readonly<Record<string, () => Promise<unknown>>>,
  msMax = answerMsMax,
): () => Promise<void> {
  const running = new SingleFlight<string, unknown>()
  const ask = async ([name, probe]: [string, () => Promise<unknown>]): Promise<void> => {
    await withTimeout(running.run(name, probe), msMax, () => {
      throw new NoAnswerError(name, msMax)
    })
  }
  return async () => void (await Promise.all(Object.entries(probes).map(ask)))
}

/** A dependency of the service does not answer. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(name: string, ms: number) {
    super(`no answer within ${ms} ms; of=${name}`)
  }
}
