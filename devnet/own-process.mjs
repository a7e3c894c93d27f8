import { join } from 'node:path'

/** better-sqlite3 13 ends an older Node without a word, so this is asked before it is loaded. */
const NODE_MAJOR_MIN = 22

/** Long enough to end running requests; SQLite and the PLC's file are whole at any moment. */
export const STOP_DEADLINE_MS = 1500

/** Ends the process with SIGTERM or its standard input, after `stop`. */
export function endWithParent(/** @type {() => Promise<unknown> | undefined} */ stop) {
  let isStopping = false
  const end = () => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS)
    void Promise.resolve(stop()).then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  // Ctrl-C reaches every process of a terminal: the one that started us decides when we stop.
  process.on('SIGINT', () => {
    if (process.stdin.isTTY) end()
  })
  // The other end of the pipe closes when our parent dies, even by SIGKILL.
  process.stdin.on('end', end).on('error', end).resume()
}

/**
 * Call it before the servers are imported. Ends the process when this is not the Node that they need.
 *
 * @param {{ dir?: string, logFile?: string }} settings the folder must exist
 */
export function prepareProcess({ dir = '.', logFile }) {
  const major = Number.parseInt(process.versions.node, 10)
  if (process.versions.bun || major < NODE_MAJOR_MIN) {
    const runtime = process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.version}`
    console.error(`devnet needs Node ${NODE_MAJOR_MIN} or newer, this is ${runtime}`)
    process.exit(1)
  }
  // The servers' loggers read the environment and open their file while they are imported.
  process.env.LOG_ENABLED = String(Boolean(logFile))
  if (logFile) process.env.LOG_DESTINATION = join(dir, logFile)
  // What these servers warn of, such as slow comparisons of passwords, says nothing to whoever runs them here.
  console.warn = () => {}
  process.removeAllListeners('warning')
}
