import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import type { Log } from '#observe/log.ts'
import { openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { migrate } from '#store/migrate.ts'
import type { Config } from './config.ts'

/** Opens the data folder, made when missing, and brings its database up to date; `opened` closes it. */
export async function openStores(
  { config, log }: { readonly config: Config; readonly log: Log },
  opened: AsyncDisposableStack,
) {
  const { databaseUrl: url, dataDir } = config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const database = opened.use(
    openDatabase(url === undefined ? { file: join(dataDir, 'sitehost.db') } : { url }),
  )
  await migrate(database)
  const blobs = diskBlobStore({
    dir: join(dataDir, 'blobs'),
    onCorrupt: (hash) => log.error('blob damaged on disk', { hash }),
  })
  return { db: database.db, blobs, hints: new Hints() }
}
