import { SingleFlight } from '#concurrency/single-flight.ts'

const answerMsMax = 2_000

/**
 * Whether all of these answer, each asked at most once at a time, however many want to know: what hangs is not asked
 * again before it has answered. Rejects with the first failure, or when something takes longer than two seconds.
 */
export function readiness(
  probes: Readonly<Record<string, () => Promise<unknown>>>,
  msMax = answerMsMax,
): () => Promise<void> {
  const running = new SingleFlight<string, unknown>()
  const ask = async ([name, probe]: [string, () => Promise<unknown>]): Promise<void> => {
    const answer = running.run(name, probe)
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new NoAnswerError(name, msMax)), msMax)
    try {
      await Promise.race([answer, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
  return async () => void (await Promise.all(Object.entries(probes).map(ask)))
}

/** Something the service stands on does not answer. */
class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'

  constructor(name: string, ms: number) {
    super(`no answer within ${ms} ms; of=${name}`)
  }
}
