// The process that runs devnet's servers; `start.ts` starts it, `node serve.mjs '{"dir":"…"}'` by
// hand does as well. Prints one line, `ready {…}`, and ends with SIGTERM or its standard input.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** better-sqlite3 13 ends an older Node without a word, so this is asked before it is loaded. */
const NODE_MAJOR_MIN = 22

/** Long enough to end running requests; SQLite and the PLC's file are whole at any moment. */
const STOP_DEADLINE_MS = 1500

const major = Number.parseInt(process.versions.node, 10)
if (process.versions.bun || major < NODE_MAJOR_MIN) {
  const runtime = process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.version}`
  console.error(`devnet needs Node ${NODE_MAJOR_MIN} or newer, this is ${runtime}`)
  process.exit(1)
}

/** @type {{ stop(): Promise<void> } | undefined} */
let network
let isStopping = false

process.on('SIGTERM', stop)
// Ctrl-C reaches every process of a terminal: the one that started us decides when we stop.
process.on('SIGINT', () => {
  if (process.stdin.isTTY) stop()
})
// The other end of the pipe closes when our parent dies, even by SIGKILL.
process.stdin.on('end', stop).on('error', stop).resume()

const settings = JSON.parse(process.argv[2] ?? '{}')
if (!settings.dir) {
  console.error('devnet needs its settings as one JSON argument: {"dir":"…"}')
  process.exit(1)
}
mkdirSync(settings.dir, { recursive: true })

// The servers' loggers read the environment and open their file while they are imported.
process.env.LOG_ENABLED = String(Boolean(settings.logFile))
if (settings.logFile) process.env.LOG_DESTINATION = join(settings.dir, settings.logFile)

// What these servers warn of, such as slow comparisons of passwords, says nothing to whoever runs them here.
console.warn = () => {}
process.removeAllListeners('warning')

const { startNetwork } = await import('./network.mjs')
const started = await startNetwork(settings)
network = started
const { pds, plc, adminPassword, accounts } = started
process.stdout.write(`ready ${JSON.stringify({ pds, plc, adminPassword, accounts })}\n`)

function stop() {
  if (isStopping) return
  isStopping = true
  setTimeout(() => process.exit(0), STOP_DEADLINE_MS)
  void Promise.resolve(network?.stop()).then(() => process.exit(0))
}
