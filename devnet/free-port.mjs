import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// A devnet keeps its ports for as long as its folder lives. Ports above 32768 are those that systems
// hand out for outgoing connections, so one of them might be taken at a later start; those around 20 000 and 30 000 are the
// services (`src/main/process/free-port.ts`) and of tests (`tests/support/processes/own-port.ts`).
const PORT_MIN = 24_000
const PORT_MAX = 27_999

const ATTEMPTS_MAX = 100

/** A port that nobody listens on at this moment. */
export async function freePort({ except } = {}) {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const port = randomInt(PORT_MIN, PORT_MAX + 1)
    if (port !== except && (await isFree(port))) return port
  }
  throw new Error(`no free port found; attempts=${ATTEMPTS_MAX}`)
}

async function isFree(port) {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if (error.code === 'EADDRINUSE' || error.code === 'EACCES') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
