// The process in which the tests of one process run their networks: loading the servers takes far longer
// than starting them. `shared.ts` starts it. Prints one line, `ready {…}`, with the address at which
// `PUT /` starts a network from its settings and `DELETE /` stops the one in a folder.
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { endWithParent, prepareProcess, STOP_DEADLINE_MS } from './own-process.mjs'

/** By folder. */
const networks = new Map()

endWithParent(() => Promise.all([...networks.values()].map((network) => network.stop())))
prepareProcess({})
const { startNetwork } = await import('./network.mjs')

const server = createServer(async (request, response) => {
  try {
    response.end(JSON.stringify(await carryOut(request)))
  } catch (error) {
    response.writeHead(500).end(String(error?.stack ?? error))
  }
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.stdout.write(
  `ready ${JSON.stringify({ origin: `http://127.0.0.1:${server.address().port}` })}\n`,
)

async function carryOut(/** @type {import('node:http').IncomingMessage} */ request) {
  const settings = JSON.parse((await request.toArray()).join(''))
  return request.method === 'PUT' ? start(settings) : stop(settings.dir)
}

async function start(settings) {
  mkdirSync(settings.dir, { recursive: true })
  const network = await startNetwork(settings)
  networks.set(settings.dir, network)
  const { pds, plc, adminPassword, accounts } = network
  return { pds, plc, adminPassword, accounts }
}

async function stop(dir) {
  const network = networks.get(dir)
  networks.delete(dir)
  await Promise.race([network?.stop(), setTimeout(STOP_DEADLINE_MS)])
  return {}
}
