import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FailPoint, failPoints } from '#publish/fail-points.ts'
import { CrashingSite } from '#tests/support/processes/publish-crash.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'

// The process is killed at every moment of a publish that has a name. Whatever the moment, visitors see
// the version before or the next one, whole, and the next start brings everything in order.

let dir: string
let network: Network
let large: CrashingSite
let small: CrashingSite
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-crashes-'))
  network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: true })
  const open = (handle: string, fileCount: number) =>
    CrashingSite.open({
      network,
      handle,
      dataDir: join(dir, handle),
      lastingFiles: Array.from({ length: fileCount }, (_, i) => ({
        path: `docs/${i}.html`,
        body: new Blob([`page ${i}`]),
      })),
    })
  large = await open('alice.test', 260)
  small = await open('bob.test', 3)
}, 300_000)
afterAll(async () => {
  for (const site of [large, small]) await site[Symbol.asyncDispose]()
  await network.stop()
  await rm(dir, { recursive: true })
})

const inOrderOnly: readonly FailPoint[] = ['parts-written', 'main-written']
/** The same for every site: before its records are read, or after they are written. */
const ofJobs: readonly FailPoint[] = [
  'upload-received',
  'job-queued',
  'job-started',
  'before-finish',
  'after-finish',
]
const inOneCommit = failPoints.filter(
  (point) => !(inOrderOnly.includes(point) || ofJobs.includes(point)),
)

describe('killed at', () => {
  test.each(ofJobs)('%s', (point) => expectRecovery(point, [large]), 120_000)
  test.each(inOneCommit)('%s', (point) => expectRecovery(point, [large, small]), 120_000)
})

describe('on a server that takes no large commit, killed at', () => {
  beforeAll(() => network.setFaults({ 'com.atproto.repo.applyWrites': { status: 413 } }))
  test.each([...inOrderOnly, 'after-commit'] as const)(
    '%s',
    (point) => expectRecovery(point, [large, small]),
    120_000,
  )
})

async function expectRecovery(failPoint: FailPoint, sites: readonly CrashingSite[]): Promise<void> {
  // Before there is a job, there is nobody who could wait for it; every later one is carried to its end.
  const value = failPoint === 'upload-received' ? null : ('completed' as const)
  // Settled, both: one that fails must not leave the other's service running into the next test.
  const ends = await Promise.allSettled(sites.map((site) => site.crashAt(failPoint)))
  expect(ends).toEqual(sites.map(() => ({ status: 'fulfilled' as const, value })))
}
