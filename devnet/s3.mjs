// An S3 API in memory, in a process of its own: `node s3.mjs '{"buckets":["blobs"]}'`. Prints one line, `ready {…}`,
// and ends with SIGTERM or its standard input. With `dir`, what is stored survives it.
import { endWithParent, prepareProcess } from './own-process.mjs'

/** @type {{ stop(): Promise<void> } | undefined} */
let server

endWithParent(() => server?.stop())

const settings = JSON.parse(process.argv[2] ?? '{}')
prepareProcess(settings)

const { startFauxqs } = await import('fauxqs')
const started = await startFauxqs({
  port: settings.port ?? 0,
  logger: false,
  ...(settings.dir && { dataDir: settings.dir }),
})
server = started
for (const name of settings.buckets ?? []) started.createBucket(name)
process.stdout.write(`ready ${JSON.stringify({ port: started.port })}\n`)
