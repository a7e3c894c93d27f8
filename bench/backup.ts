import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { accountOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { goLive, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'

// How long a backup and a restore take: bun bench/backup.ts [sites] [folder for the backup, on another disk].

const filesPerSite = 10
const fileBytes = 12_000

const sites = Number(process.argv[2] ?? 1000)
const dir = await mkdtemp(join(tmpdir(), 'bench-backup-'))
const data = join(dir, 'data')
const folder = process.argv[3] ?? join(dir, 'backup')

await publish(0, sites)
await run('backup', folder, '--data', data)
await publish(sites, sites + 10)
await run('backup', folder, '--data', data)
await rm(data, { recursive: true })
await run('restore', folder, '--data', data)
await rm(dir, { recursive: true })

async function publish(from: number, to: number): Promise<void> {
  const blobs = diskBlobStore({ dir: join(data, 'blobs') })
  await blobs.make()
  await using database = openDatabase({ file: join(data, 'sitehost.db') })
  await migrate(database)
  for (let n = from; n < to; n++) {
    const files = Array.from({ length: filesPerSite }, (_, file) => ({
      name: `page-${file}.html`,
      ...storedFile({ body: crypto.getRandomValues(new Uint8Array(fileBytes)) }),
    }))
    await Promise.all(files.map(({ stored }) => blobs.put(stored)))
    const entries = files.map(({ name, file }) => [name, file] as const)
    await goLive(
      database.db,
      snapshotOf(Object.fromEntries(entries), siteOf(`s${n}`, accountOf(n))),
    )
  }
}

async function run(...args: string[]): Promise<void> {
  const { code, complaints, said } = await runCommand(args)
  if (code !== 0) throw new Error(complaints)
  console.log(said.join('\n'))
}
