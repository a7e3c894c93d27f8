import { createProgram } from '#cli/program.ts'
import { runAdminAdd, runAdminList, runAdminRemove } from './admin.ts'
import { runBackfill } from './backfill.ts'
import { readConfig } from './config.ts'
import { demoDataDir, runDemo } from './demo.ts'
import { devDataDir, runDev } from './dev.ts'
import { runKeys } from './keys.ts'
import { runPreview } from './preview.ts'
import { runRepair } from './repair.ts'
import { runServe } from './serve.ts'
import { stopOnSignals } from './signals.ts'
import { startFailureSentence } from './start-failure.ts'
import { runUnread } from './unread.ts'

// What we write is for nobody else: the database holds sessions, the spool what people send.
process.umask(0o077)

const stop = new AbortController()
stopOnSignals(stop)

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
    ...{ port: String(defaults.port), baseDomain: defaults.baseDomain, data: defaults.dataDir },
    ...{ demoData: demoDataDir, devData: devDataDir },
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
// Everything is closed by now; a library's timer for its next reconnection must not hold us up.
process.exit()
