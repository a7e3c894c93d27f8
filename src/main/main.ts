import { constants } from 'node:os'
import { createProgram } from '#cli/program.ts'
import { runAdminAdd, runAdminList, runAdminRemove } from '#main/commands/admin.ts'
import { runBackfill } from '#main/commands/backfill.ts'
import { demoDataDir, runDemo } from '#main/commands/demo.ts'
import { devDataDir, runDev } from '#main/commands/dev.ts'
import { runKeys } from '#main/commands/keys.ts'
import { runPreview } from '#main/commands/preview.ts'
import { runRepair } from '#main/commands/repair.ts'
import { runServe } from '#main/commands/serve.ts'
import { runUnread } from '#main/commands/unread.ts'
import { readConfig } from '#main/config/config.ts'
import { startFailureSentence } from '#main/process/start-failure.ts'

// Only this user may read our files: the database holds sessions, the spool holds uploads.
process.umask(0o077)

/** One Ctrl-C may arrive from the terminal and from the parent process. */
const sameSignalMs = 500
const stop = new AbortController()
let stoppedAt = 0

/** The first signal aborts `stop`; a later one ends the process at once. */
function onSignal(name: 'SIGTERM' | 'SIGINT'): void {
  if (!stop.signal.aborted) {
    stoppedAt = performance.now()
    stop.abort()
  } else if (performance.now() - stoppedAt > sameSignalMs) {
    // A shell reports this code for a process that a signal ended.
    process.exit(128 + constants.signals[name])
  }
}
process.on('SIGTERM', onSignal)
process.on('SIGINT', onSignal)

const { version } = await Bun.file(new URL('../../package.json', import.meta.url)).json()

const defaults = readConfig({}, {})
const program = createProgram(
  {
    serve: (options) => runServe(options, stop.signal),
    dev: (options) => runDev(options, stop.signal),
    demo: (options) => runDemo(options, stop.signal),
    preview: (folder, options) => runPreview(folder, options, stop.signal),
    backfill: (options) => runBackfill(options, stop.signal),
    repair: (site, options) => runRepair(site, options, stop.signal),
    unread: (options) => runUnread(options, stop.signal),
    adminAdd: (name, options) => runAdminAdd(name, options, stop.signal),
    adminRemove: (name, options) => runAdminRemove(name, options, stop.signal),
    adminList: (options) => runAdminList(options, stop.signal),
    keys: (action, options) => runKeys(action, options, stop.signal),
  },
  version,
  {
    port: String(defaults.port),
    baseDomain: defaults.baseDomain,
    data: defaults.dataDir,
    demoData: demoDataDir,
    devData: devDataDir,
  },
)

try {
  await program.parseAsync()
} catch (error) {
  const sentence = startFailureSentence(error)
  if (sentence === null) throw error
  console.error(`sitehost: ${sentence}`)
  process.exitCode = 1
}
// Everything is closed; a reconnection timer of a library must not delay the exit.
process.exit()
