// `bun garbage-process.ts <data folder> <days from now> [fail point]`: collects the garbage of a folder once,
// as the service does every hour, and dies at the fail point. Prints how much it removed.
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { collectGarbage } from '#ingest/blobs/collect-garbage.ts'
import { openDatabase } from '#store/database/database.ts'

const [dataDir = '', days, failPoint] = process.argv.slice(2)
await using database = openDatabase({ file: join(dataDir, 'sitehost.db') })
const quiet = (): void => {}
const { removed } = await collectGarbage({
  db: database.db,
  blobs: diskBlobStore({ dir: join(dataDir, 'blobs') }),
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  now: () => Date.now() + Number(days) * 24 * 60 * 60 * 1000,
  signal: new AbortController().signal,
  at(point) {
    if (point === failPoint) process.kill(process.pid, 'SIGKILL')
  },
})
process.stdout.write(`${removed}\n`)
