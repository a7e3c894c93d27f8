import { createProgram } from '#cli/program.ts'
import { ConfigError } from './config.ts'
import { runDemo } from './demo.ts'
import { runDev } from './dev.ts'
import { runServe } from './serve.ts'

const stop = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())

const program = createProgram({
  serve: (options) => runServe(options, stop.signal),
  dev: (options) => runDev(options, stop.signal),
  demo: (options) => runDemo(options, stop.signal),
})

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  console.error(`sitehost: ${error.message}`)
  process.exitCode = 1
}
// Everything is closed by now; a library's timer for its next reconnection must not hold us up.
process.exit()
