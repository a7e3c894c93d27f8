import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnDatabase, onEachDatabase } from '#tests/support/database/databases.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import type { ServiceProcess } from '#tests/support/processes/service-process.ts'
import { SeveralInstances } from '#tests/support/processes/several-instances.ts'
import { DeployClient } from '#tests/support/publishing/deploy-client.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { eventually } from './support/eventually.ts'

const environment = { INSTANCE_GONE_SECONDS: '10' }

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
    instances = await SeveralInstances.open({ dir, network, own, s3: s3.endpoint, environment }, 2)
    await Promise.all([instances.start(0), instances.start(1)])
    alice = instances.client(() => at)
    at = 0
    await alice.signIn('alice.test', passwordOf('alice.test'))
  }, 300_000)
  afterAll(async () => {
    await instances?.[Symbol.asyncDispose]()
    await network?.stop()
    await s3?.stop()
    await own?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  }, 120_000)

  /** With a content that the account does not have yet. */
  const newPage = () => [textFile('index.html', `<h1>${crypto.randomUUID()}</h1>`)]
  const passwordOf = (handle: string): string =>
    network.accounts.find((account) => account.handle === handle)?.password ?? ''
  const running = (n: number): ServiceProcess => {
    const found = instances.running(n)
    if (found === null) throw new Error(`instance ${n} does not run`)
    return found
  }
  const siteNames = async (): Promise<string[]> => {
    const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
      sites: { rkey: string }[]
    }
    return sites.map(({ rkey }) => rkey)
  }

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

  test('a deploy that begins at one gets its files, its commit and its end at the other', async () => {
    const contents = { 'index.html': '<h1>deployed</h1>', 'more.txt': 'more' }
    at = 0
    const deploy = await new DeployClient(alice).begin('deployed', contents)
    at = 1
    const { result, error } = await new DeployClient(alice).finish(deploy, contents)
    expect(error).toBeNull()
    await eventually(async () => {
      expect(await instances.visit(1, String(result?.['url']))).toBe('<h1>deployed</h1>')
    })
    expect(await readdir(join(instances.dataOf(1), 'spool'))).toEqual([])

    at = 1
    const dropped = await new DeployClient(alice).begin('dropped', { 'index.html': 'dropped' })
    at = 0
    expect(await new DeployClient(alice).send(dropped.deployId, 'dropped')).toBe(204)
    const deleted = await alice.fetch(`/api/deploys/${dropped.deployId}`, { method: 'DELETE' })
    expect(deleted.status).toBe(200)
    expect(await readdir(join(instances.dataOf(1), 'spool'))).toEqual([])
  }, 120_000)

  test('an instance that stops takes what its deploys lack, and their commit, wherever they arrive', async () => {
    const [stopped, other] = [0, 1]
    await running(stopped).end('SIGTERM')
    await instances.start(stopped, { SHUTDOWN_SECONDS_MAX: '60' })
    at = stopped
    const deploys = new DeployClient(alice)
    const contents = { 'index.html': '<h1>while it stops</h1>', 'more.txt': 'more' }
    const { deployId } = await deploys.begin('stopping', contents)
    // A file that arrives slowly keeps it from ending.
    const slow = await deploys.begin('slow', { 'index.html': 'slowly' })
    const rest = Promise.withResolvers<void>()
    const inHalves = async function* () {
      yield Buffer.from('slo')
      await rest.promise
      yield Buffer.from('wly')
    }
    const body = inHalves() as unknown as BodyInit
    const arriving = deploys.send(slow.deployId, 'slowly', { body })
    await eventually(async () => {
      const spooled = await readdir(join(instances.dataOf(stopped), 'spool'))
      expect(spooled).toEqual([slow.deployId])
    })
    const stopping = running(stopped).end('SIGTERM')
    await eventually(async () => {
      expect((await instances.send(stopped, '/readyz')).status).toBe(503)
    })

    expect(await deploys.send(deployId, 'more')).toBe(204)
    at = other
    expect(await deploys.send(deployId, contents['index.html'])).toBe(204)
    expect((await deploys.commit(deployId))[0]).toBe(200)
    rest.resolve()
    expect(await arriving).toBe(204)
    expect(await stopping).toBe(0)
    await instances.start(stopped)
    expect((await alice.watch(deployId)).result).toMatchObject({ success: true })
    const dropped = await alice.fetch(`/api/deploys/${slow.deployId}`, { method: 'DELETE' })
    expect(dropped.status).toBe(200)
  }, 120_000)

  test('a sign-in that begins at one is completed at the other, once', async () => {
    // The first request begins it, and the second one is its callback.
    let sends = 0
    const callbacks: string[] = []
    const bob = new AppClient(instances.app, (url, init) => {
      if (String(url).includes('/callback')) callbacks.push(String(url))
      return instances.send(sends++ % 2, String(url), init)
    })
    expect(await bob.signIn('bob.test', passwordOf('bob.test'))).not.toContain('error')
    for (const n of [0, 1]) {
      sends = n
      expect((await bob.fetch('/api/auth/status')).status).toBe(200)
      sends = n
      const again = await bob.fetch(callbacks[0] ?? '')
      expect(again.headers.get('location')).toContain('error=auth_failed')
      sends = n
      const stranger = await instances.send(n, callbacks[0] ?? '', { redirect: 'manual' })
      expect(stranger.headers.get('location')).toContain('error=auth_failed')
    }
  }, 120_000)

  test('a job is cancelled at the other instance', async () => {
    network.setFaults({ 'com.atproto.repo.uploadBlob': { hold: true } })
    at = 0
    const { jobId } = (await (await alice.upload('cancelled', newPage())).json()) as {
      jobId: string
    }
    at = 1
    const cancelled = await alice.fetch(`/sitehost/upload-progress/${jobId}`, { method: 'DELETE' })
    expect(cancelled.status).toBe(200)
    expect((await alice.watch(jobId)).error).toContain('cancelled')
    network.setFaults({})
    await eventually(async () => {
      expect(await readdir(join(instances.dataOf(0), 'spool'))).toEqual([])
    })
  }, 120_000)

  test('an instance that is killed finishes its job after it has come back', async () => {
    network.setFaults({ 'com.atproto.repo.uploadBlob': { hold: true } })
    at = 0
    const { jobId } = (await (await alice.upload('returned', newPage())).json()) as {
      jobId: string
    }
    await running(0).end('SIGKILL')
    network.setFaults({})
    at = 1
    const watching = alice.watch(jobId)
    await instances.start(0)
    expect((await watching).result).toMatchObject({ success: true })
  }, 120_000)

  test('the jobs and deploys of one that does not come back end, and it finds them ended if it does', async () => {
    network.setFaults({ 'com.atproto.repo.uploadBlob': { hold: true } })
    at = 0
    const { jobId } = (await (await alice.upload('gone', newPage())).json()) as { jobId: string }
    const deploy = await new DeployClient(alice).begin('gone-too', { 'index.html': 'gone' })
    process.kill(running(0).pid, 'SIGSTOP')
    at = 1
    const sent = await alice.watch(jobId)
    expect(sent.error).toStartWith('The machine that had your upload is gone')
    const lost = await alice.fetch(`/api/deploys/${deploy.deployId}`)
    expect(lost.status).toBe(404)

    process.kill(running(0).pid, 'SIGCONT')
    network.setFaults({})
    await eventually(async () => {
      expect(await readdir(join(instances.dataOf(0), 'spool'))).toEqual([])
    })
    expect((await alice.watch(jobId)).error).toBe(sent.error)
    expect(await siteNames()).not.toContain('gone')
    expect(await alice.publish('gone', newPage())).toMatchObject({ success: true })
  }, 120_000)

  test('all are listed, wherever one asks', async () => {
    const { said } = await runCommand(
      ['status', '--json', '--data', instances.dataOf(1)],
      instances.settingsOf(1),
    )
    const status = JSON.parse(said.join()) as { instances: { address: string; roles: string }[] }
    expect(status.instances.map(({ address }) => address).toSorted()).toEqual(
      [0, 1].map((n) => `http://${instances.settingsOf(n)['INTERNAL_LISTEN']}`).toSorted(),
    )
    expect(status.instances[0]?.roles).toBe('app,edge,ingest')
  }, 60_000)

  test('an instance that is not one of several does not start next to them', async () => {
    const alone = { ...instances.settingsOf(0), INTERNAL_LISTEN: '', PORT: '0' }
    const refused = await runCommand(['serve', '--data', join(dir, 'alone')], alone)
    expect(refused.complaints).toContain('several instances of Sitehost use this database')
  }, 120_000)
})
