import { codeOf } from '#observe/code-of.ts'

// Outgoing connections use the higher, ephemeral ports: a restart might find its port taken. Above these are those of
// devnet, and of tests that restart a server (`tests/support/processes/own-port.ts`).
const portMin = 20_000
const portMax = 23_999
const attemptsMax = 100

/** The first candidate port on which no process listens; by default a random one below the ephemeral range. */
export async function freePort(candidate: () => number = randomPort): Promise<string> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = candidate()
    if (isFree(port)) return String(port)
  }
  throw new Error(`no free port found; attempts=${attemptsMax}`)
}

const randomPort = (): number => portMin + Math.floor(Math.random() * (portMax - portMin + 1))

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE' || codeOf(error) === 'EACCES') return false
    throw error
  }
}
