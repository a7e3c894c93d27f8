// The process that runs devnet's servers; `start.ts` starts it, `node serve.mjs '{"dir":"…"}'` by
// hand does as well. Prints one line, `ready {…}`, and ends with SIGTERM or its standard input.
import { mkdirSync } from 'node:fs'
import { endWithParent, prepareProcess } from './own-process.mjs'

/** @type {{ stop(): Promise<void> } | undefined} */
let network

endWithParent(() => network?.stop())

const settings = JSON.parse(process.argv[2] ?? '{}')
if (!settings.dir) {
  console.error('devnet needs its settings as one JSON argument: {"dir":"…"}')
  process.exit(1)
}
mkdirSync(settings.dir, { recursive: true })
prepareProcess(settings)

const { startNetwork } = await import('./network.mjs')
const started = await startNetwork(settings)
network = started
const { pds, plc, adminPassword, accounts } = started
process.stdout.write(`ready ${JSON.stringify({ pds, plc, adminPassword, accounts })}\n`)
