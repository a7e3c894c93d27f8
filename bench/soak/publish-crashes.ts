// `bun bench/soak/publish-crashes.ts [seeds]`: kills a publish at every fail point, for sites of random
// shape, five times each unless told otherwise. Ends with the first that is not put in order again.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failPoints } from '#publish/fail-points.ts'
import { CrashingSite } from '#tests/support/processes/publish-crash.ts'
import { startDevnet } from '../../devnet/start.ts'

const seeds = Number(process.argv[2] ?? 5)
const dir = await mkdtemp(join(tmpdir(), 'sitehost-crashes-'))
await using network = await startDevnet({ dir: join(dir, 'devnet'), canFail: true })

for (let seed = 1; seed <= seeds; seed++) {
  const sites = await Promise.all(
    ['alice.test', 'bob.test', 'carol.test'].map(async (handle) =>
      CrashingSite.open({
        network,
        handle,
        dataDir: join(dir, `${handle}-${seed}`),
        lastingFiles: randomFiles(),
      }),
    ),
  )
  for (const point of failPoints) {
    const isInOrder = point === 'parts-written' || point === 'main-written'
    network.setFaults(isInOrder ? { 'com.atproto.repo.applyWrites': { status: 413 } } : {})
    const ends = await Promise.all(sites.map((site) => site.crashAt(point)))
    process.stdout.write(`seed ${seed}  ${point.padEnd(16)} ${ends.join(' ')}\n`)
  }
  network.setFaults({})
}
await rm(dir, { recursive: true })

function randomFiles() {
  const count = 1 + Math.floor(Math.random() * 700)
  return Array.from({ length: count }, (_, i) => ({
    path: `${i % (1 + Math.floor(Math.random() * 9))}/${crypto.randomUUID()}.html`,
    body: new Blob(['x'.repeat(Math.random() * 20_000), crypto.randomUUID()]),
  }))
}
