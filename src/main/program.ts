import { constants } from 'node:os'
import { createProgram } from '#cli/program.ts'
import { demoDataDir, devDataDir } from '#main/commands/network-data-dirs.ts'
import { readConfig } from '#main/config/config.ts'
import { endProcess } from '#main/process/end-process.ts'
import { startFailureCode, startFailureSentence } from '#main/process/start-failure.ts'
import { version } from '#package.json'

/** One Ctrl-C may arrive from the terminal and from the parent process. */
const sameSignalMs = 500
const stop = new AbortController()
let stoppedAt = 0

/** The first signal aborts `stop`; a later one ends the process at once. */
function onSignal(name: 'SIGTERM' | 'SIGINT'): void {
  if (!stop.signal.aborted) {
    stoppedAt = performance.now()
    stop.abort(name)
  } else if (performance.now() - stoppedAt > sameSignalMs) {
    // A shell reports this code for a process that a signal ended.
    process.exit(128 + constants.signals[name])
  }
}
process.on('SIGTERM', onSignal)
process.on('SIGINT', onSignal)

const defaults = readConfig({}, {})
const { signal } = stop
const program = createProgram(
  // Each command loads only its own modules: the service has a thousand.
  {
    async serve(options) {
      await (await import('#main/commands/serve.ts')).runServe(options, signal)
    },
    async dev(options) {
      await (await import('#main/commands/dev.ts')).runDev(options, signal)
    },
    async demo(options) {
      await (await import('#main/commands/demo.ts')).runDemo(options, signal)
    },
    async preview(folder, options) {
      await (await import('#main/commands/preview.ts')).runPreview(folder, options, signal)
    },
    async runSiteCommand(command) {
      const { runSiteCommand } = await import('#main/commands/site-owner.ts')
      process.exitCode = await runSiteCommand(command, signal)
    },
    async status(options) {
      await (await import('#main/commands/status.ts')).runStatus(options, signal)
    },
    async doctor(options) {
      await (await import('#main/commands/doctor.ts')).runDoctor(options, signal)
    },
    async backup(folder, options) {
      await (await import('#main/commands/backup.ts')).runBackup(folder, options, signal)
    },
    async blobsCopy(options) {
      await (await import('#main/commands/blobs.ts')).runBlobsCopy(options, signal)
    },
    async restore(folder, options) {
      await (await import('#main/commands/backup.ts')).runRestore(folder, options, signal)
    },
    async backfill(options) {
      await (await import('#main/commands/backfill.ts')).runBackfill(options, signal)
    },
    async repair(site, options) {
      await (await import('#main/commands/repair.ts')).runRepair(site, options, signal)
    },
    async unread(options) {
      await (await import('#main/commands/unread.ts')).runUnread(options, signal)
    },
    async adminAdd(name, options) {
      await (await import('#main/commands/admin.ts')).runAdminAdd(name, options, signal)
    },
    async adminPasswd(name, options) {
      await (await import('#main/commands/admin.ts')).runAdminPasswd(name, options, signal)
    },
    async adminRemove(name, options) {
      await (await import('#main/commands/admin.ts')).runAdminRemove(name, options, signal)
    },
    async adminList(options) {
      await (await import('#main/commands/admin.ts')).runAdminList(options, signal)
    },
    async moderate(command, subject, options) {
      const { runModeration } = await import('#main/commands/moderate.ts')
      await runModeration(command, subject, options, signal)
    },
    async keys(action, options) {
      await (await import('#main/commands/keys.ts')).runKeys(action, options, signal)
    },
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

async function run(): Promise<void> {
  try {
    await program.parseAsync()
  } catch (error) {
    const sentence = startFailureSentence(error)
    if (sentence === null) throw error
    console.error(`sitehost: ${sentence}`)
    process.exitCode = startFailureCode(error)
  }
  await endProcess()
}

// Not awaited: a module that awaits has no CommonJS form, and so no bytecode (kept-program.ts).
void run()
