import type { Answer } from '#edge/dispatch.ts'

/** The peer of the connection on which a request arrived; empty: it is gone. */
export const peerField = 'sitehost-peer'
/** Of an answer: for how many seconds its connection may be silent, where the application has said so. */
export const idleField = 'sitehost-idle-seconds'

/** Answers a request that another process has relayed as if it had arrived here. */
export async function answerRelayed(
  request: Request,
  server: Pick<Bun.Server<undefined>, 'timeout'>,
  answer: Answer,
): Promise<Response> {
  let idleSeconds: number | null = null
  const address = request.headers.get(peerField) ?? ''
  const response = await answer(request, {
    requestIP: () => (address === '' ? null : { address, family: 'IPv4', port: 0 }),
    timeout(waiting, seconds) {
      idleSeconds = seconds
      server.timeout(waiting, seconds)
    },
  })
  if (idleSeconds !== null) response.headers.set(idleField, String(idleSeconds))
  return response
}
