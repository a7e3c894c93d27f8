import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

// A devnet keeps its ports for as long as its folder lives. Ports above 32768 are those that systems
// hand out for outgoing connections, so one of them might be taken at a later start; those around 20 000 and 30 000 are the
// services (`src/main/process/free-port.ts`) and of tests (`tests/support/processes/own-port.ts`).
const PORT_MIN = 24_000
const PORT_MAX = 27_999

const ATTEMPTS_MAX = 100

// Test processes of a run, which Bun numbers, have ports of their own: none takes one that another has found free.
const STRIPES = 4
const PORTS_IN_STRIPE = (PORT_MAX - PORT_MIN + 1) / STRIPES
const stripe = Number(process.env.BUN_TEST_WORKER_ID ?? randomInt(STRIPES)) % STRIPES
let next = randomInt(PORTS_IN_STRIPE)

/**
 * A port that nobody listens on at this moment. Given again only after all others of its stripe: the network that had it
 * may be started again.
 */
export async function freePort({ except } = {}) {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const port = PORT_MIN + stripe * PORTS_IN_STRIPE + (next++ % PORTS_IN_STRIPE)
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
