import type { RequestMetrics, Role } from '#observe/request-metrics.ts'

/** Monotonic, in milliseconds. */
export const startTimer = (): number => performance.now()

export type TimeAnswer = (
  answer: Response | Promise<Response>,
  role: Role,
  startedAt: number,
) => Response | Promise<Response>

/**
 * Returns a function that counts an answer with the time until it was ready to be sent, and returns it as it is: the
 * time in which its body is sent does not count, and an answer without a promise stays one. A rejection counts as 500.
 */
export function timeAnswers(metrics: Pick<RequestMetrics, 'observe'>): TimeAnswer {
  const observe = (role: Role, status: number, startedAt: number): void =>
    metrics.observe(role, status, (startTimer() - startedAt) * 1000)
  return (answer, role, startedAt) => {
    if (answer instanceof Promise) {
      answer.then(
        ({ status }) => observe(role, status, startedAt),
        () => observe(role, 500, startedAt),
      )
    } else observe(role, answer.status, startedAt)
    return answer
  }
}
