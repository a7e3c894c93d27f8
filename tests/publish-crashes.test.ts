import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FailPoint, failPoints } from '#publish/fail-points.ts'
import { type Devnet, startDevnet } from '../devnet/start.ts'
import { CrashingSite } from './support/publish-crash.ts'

// The process is killed at every moment of a publish that has a name. Whatever the moment, visitors see
// the version before or the next one, whole, and the next start brings everything in order.

let dir: string
let network: Devnet
let large: CrashingSite
let small: CrashingSite
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-crashes-'))
  network = await startDevnet({ dir: join(dir, 'devnet'), canFail: true })
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
  await network.stop()
  await rm(dir, { recursive: true })
})

const inOrderOnly: readonly FailPoint[] = ['parts-written', 'main-written']
const inOneCommit = failPoints.filter((point) => !inOrderOnly.includes(point))

describe('killed at', () => {
  test.each(inOneCommit)('%s', expectRecovery, 120_000)
})

describe('on a server that takes no large commit, killed at', () => {
  beforeAll(() => network.setFaults({ 'com.atproto.repo.applyWrites': { status: 413 } }))
  test.each([...inOrderOnly, 'after-commit'] as const)('%s', expectRecovery, 120_000)
})

async function expectRecovery(failPoint: FailPoint): Promise<void> {
  // Before there is a job, there is nobody who could wait for it; every later one is carried to its end.
  const end = failPoint === 'upload-received' ? null : 'completed'
  // Settled, both: one that fails must not leave the other's service running into the next test.
  const ends = await Promise.allSettled([large.crashAt(failPoint), small.crashAt(failPoint)])
  const completed = { status: 'fulfilled', value: end }
  expect(ends).toEqual([completed, completed] as typeof ends)
}
