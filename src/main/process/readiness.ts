import { withTimeout } from '#concurrency/or-aborted.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'

const answerMsMax = 2_000

/** A part without which the service cannot work. */
export interface Probe {
  /** What it means when `ask` rejects, for anybody: no details. */
  readonly problem: string
  readonly ask: () => Promise<unknown>
}

/** A part that is not ready. */
export interface Unready {
  readonly problem: string
  /** For the log. */
  readonly error: unknown
}

/**
 * Asks all probes, each in a single flight: a probe that hangs is not called again before it has ended. A probe that does
 * not resolve within `msMax` is not ready. Never rejects.
 */
export function readiness(
  probes: readonly Probe[],
  msMax = answerMsMax,
): () => Promise<readonly Unready[]> {
  const running = new SingleFlight<string, unknown>()
  const unready = async ({ ask, problem }: Probe): Promise<Unready[]> => {
    try {
      await withTimeout(running.run(problem, ask), msMax, () => {
        throw new NoAnswerError(msMax)
      })
      return []
    } catch (error) {
      return [{ problem, error }]
    }
  }
  return async () => (await Promise.all(probes.map(unready))).flat()
}

/** A dependency of the service does not answer. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
  }
}
