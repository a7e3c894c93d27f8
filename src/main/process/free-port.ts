import { codeOf } from '#observe/code-of.ts'

// Outgoing connections use the higher, ephemeral ports: a restart might find its port taken.
const portMin = 20_000
const portMax = 32_767
const attemptsMax = 100

/** A random port below the ephemeral range on which no process listens. */
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
