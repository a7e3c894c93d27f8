import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { type IngestFailPoint, ingestFailPoints } from '#ingest/fail-points.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { CrashingIngest } from '#tests/support/processes/ingest-crash.ts'
import { openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'

// The process is killed at every moment of ingest that has a name. Whatever the moment, visitors see the
// version before or the next one, whole, and the next start brings everything in order.

const handles = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `crash-${name}.test`)
const ofGarbage = ingestFailPoints.filter((point) => point.startsWith('garbage-'))
const ofSites = ingestFailPoints.filter((point) => !ofGarbage.includes(point))

describe('killed at', () => {
  let dir: string
  let network: Network
  const sites: Promise<CrashingIngest>[] = []
  const crashes = new Map<IngestFailPoint, Promise<void>>()
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-ingest-crashes-'))
    network = await startSharedDevnet({
      dir: join(dir, 'devnet'),
      accounts: handles.map((handle) => ({ handle, password: 'hunter2pass' })),
    })
    // Side by side: a site that a killed process had taken is left alone for seconds.
    for (const [lane, handle] of handles.entries()) {
      let before: Promise<unknown> = CrashingIngest.open({
        ...{ network, handle },
        dataDir: join(dir, handle),
      })
      const site = before as Promise<CrashingIngest>
      sites.push(site)
      for (const point of ofSites.filter((_, i) => i % handles.length === lane)) {
        const crash = before.then(async () => await (await site).crashAt(point))
        crashes.set(point, crash)
        crash.catch(() => undefined) // the test of this point tells
        before = crash.catch(() => undefined)
      }
    }
  }, 300_000)
  afterAll(async () => {
    await Promise.allSettled(crashes.values())
    for (const site of sites) await (await site)[Symbol.asyncDispose]()
    await network.stop()
    await rm(dir, { recursive: true })
  })

  test.each(ofSites)(
    '%s',
    async (point) => {
      await crashes.get(point)
    },
    120_000,
  )
})

describe('a collector of garbage, killed at', () => {
  test.each(ofGarbage)('%s', async (point) => {
    await using opened = new AsyncDisposableStack()
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-garbage-'))
    opened.defer(() => rm(dir, { recursive: true }))
    const database = opened.use(openDatabase({ file: join(dir, 'sitehost.db') }))
    await migrate(database)
    const place = opened.use(await openIngestPlace(database.db))
    place.now = Date.now()
    await upsertAccount(database.db, { did: alice }, 1)
    const blobs = diskBlobStore({ dir: join(dir, 'blobs') })
    const context = { ...place.context, blobs }
    for (const name of ['stays', 'goes']) {
      await place.write(name, { 'index.html': name, 'shared.html': 'shared' })
      await ingestSite(siteOf(name), context)
    }
    place.pds.deleteRecord('place.sitehost.fs/goes')
    await ingestSite(siteOf('goes'), context)

    const isMarked = point !== 'garbage-marked'
    if (isMarked) expect(await collect(dir, 0)).toEqual({ code: 0, removed: 0 })
    expect(await collect(dir, 2, point)).toMatchObject({ code: 128 + 9 })
    const { removed } = await collect(dir, 4)
    // What was removed and not committed is found to be gone, and counts once more.
    expect(removed).toBe(point === 'garbage-removed' ? 0 : 1)
    const left = await Array.fromAsync(blobs.list())
    expect(left.sort()).toEqual(['stays', 'shared'].map(sha256).sort())
  })
})

const sha256 = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

async function collect(
  dataDir: string,
  days: number,
  failPoint?: IngestFailPoint,
): Promise<{ code: number; removed: number }> {
  const script = join(import.meta.dir, 'support/processes/garbage-process.ts')
  const child = Bun.spawn({
    cmd: [process.execPath, script, dataDir, String(days), ...(failPoint ? [failPoint] : [])],
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const removed = Number(await new Response(child.stdout).text())
  return { code: await child.exited, removed }
}
