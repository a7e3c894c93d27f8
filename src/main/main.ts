import { createProgram } from '#cli/program.ts'
import { runBackfill } from './backfill.ts'
import { runDemo } from './demo.ts'
import { runDev } from './dev.ts'
import { runPreview } from './preview.ts'
import { runRepair } from './repair.ts'
import { runServe } from './serve.ts'
import { startFailureSentence } from './start-failure.ts'

// What we write is for nobody else: the database holds sessions, the spool what people send.
process.umask(0o077)

const stop = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())

const { version } = await Bun.file(new URL('../../package.json', import.meta.url)).json()

const program = createProgram(
  {
    serve: (options) => runServe(options, stop.signal),
    dev: (options) => runDev(options, stop.signal),
    demo: (options) => runDemo(options, stop.signal),
    preview: (folder, options) => runPreview(folder, options, stop.signal),
    backfill: (options) => runBackfill(options, stop.signal),
    repair: (site, options) => runRepair(site, options, stop.signal),
  },
  version,
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
