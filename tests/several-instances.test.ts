import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { SeveralInstances } from '#tests/support/processes/several-instances.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { eventually } from './support/eventually.ts'

// Two instances on one database and one bucket: whichever one a balancer picks answers.

await onEachDatabase('several instances', (make, dialect) => {
  if (dialect === 'sqlite') return
  let dir: string
  let network: Network
  let own: OwnDatabase
  let s3: S3Server
  let instances: SeveralInstances
  /** Where the next request of alice goes. */
  let at = 0
  let alice: AppClient

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-several-'))
    network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: true })
    own = await make()
    s3 = await startS3Server()
    instances = await SeveralInstances.open({ dir, network, own, s3: s3.endpoint }, 2)
    await Promise.all([instances.start(0), instances.start(1)])
    alice = instances.client(() => at)
    at = 0
    await alice.signIn('alice.test', passwordOfAlice())
  }, 300_000)
  afterAll(async () => {
    await instances?.[Symbol.asyncDispose]()
    await network?.stop()
    await s3?.stop()
    await own?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  }, 120_000)

  const passwordOfAlice = (): string =>
    network.accounts.find(({ handle }) => handle === 'alice.test')?.password ?? ''

  test('what is published at one is watched and visited at the other', async () => {
    at = 0
    const uploaded = await alice.upload('blog', [textFile('index.html', '<h1>blog</h1>')])
    const { jobId } = (await uploaded.json()) as { jobId: string }
    at = 1
    const { result } = await alice.watch(jobId)
    const url = String(result?.['url'])
    for (const n of [0, 1]) {
      await eventually(async () => expect(await instances.visit(n, url)).toBe('<h1>blog</h1>'))
    }
  }, 120_000)

  test('an instance that is not one of several does not start next to them', async () => {
    const alone = { ...instances.settingsOf(0), INTERNAL_LISTEN: '', PORT: '0' }
    const refused = await runCommand(['serve', '--data', join(dir, 'alone')], alone)
    expect(refused.complaints).toContain('several instances of Sitehost use this database')
  }, 120_000)
})
