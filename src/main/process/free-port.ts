import { codeOf } from '#observe/code-of.ts'

// Above are the ports that systems hand out for outgoing connections: whoever starts again on the same
// port would find it taken now and then.
const portMin = 20_000
const portMax = 32_767
const attemptsMax = 100

/** A port that nobody listens on right now, any of those that no system hands out by itself. */
export async function freePort(): Promise<string> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = portMin + Math.floor(Math.random() * (portMax - portMin + 1))
    if (isFree(port)) return String(port)
  }
  throw new Error(`no free port found; attempts=${attemptsMax}`)
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE' || codeOf(error) === 'EACCES') return false
    throw error
  }
}
