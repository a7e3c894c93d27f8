import { expect } from 'bun:test'
import { type Did, siteLabel } from '#site/site-address.ts'
import { nameOf } from '#tests/support/database/sample-rows.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'
import { getRecord, putRecord } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import type { Facts } from './like.ts'
import type { Scene } from './scene.ts'
import type { Stage } from './stage.ts'

const settings = 'place.sitehost.settings'

/**
 * All that alice can have: her site with its settings, a name and a domain that lead to it, a domain that
 * waits, a job that has ended and one that runs. Bob has a name and a domain, to try with.
 */
export async function furnish(scene: Scene): Promise<void> {
  const { alice } = scene.stage.people
  scene.know('rkey', 'blog')
  scene.know('customDomain', 'alice-example.com')
  scene.know('version', await liveVersion(scene.stage, alice.did))
  scene.know('versionKey', await liveVersionKey(scene.stage, alice.did))
  const { sessions } = (await (await alice.client.fetch('/api/user/sessions')).json()) as {
    sessions: { id: string }[]
  }
  scene.know('signIn', sessions[0]?.id ?? '')
  const { commit } = await putRecord(alice.repo, settings, 'blog', { cleanUrls: true })
  // Ingest comes to it sooner or later, and then it would be a change of what is hers.
  await eventually(async () => {
    expect((await liveRev(scene.stage, alice.did)) >= (commit?.rev ?? '')).toBe(true)
  })
  scene.know('deploy', await beginDeploy(scene.stage))
  scene.know('token', await createToken(scene.stage))
  scene.know('publisher', await addPublisher(scene.stage))
  scene.know('webhook', await addWebhook(scene.stage))
  scene.know('delivery', await testWebhook(scene.stage, scene.facts['webhook'] ?? ''))
  await scene.claim('alice', 'alices-name')
  await scene.addVerified('alice', 'alice-example.com')
  await scene.add('alice', 'alice-waits.com', 'waiting')
  const { domain, id } = scene.facts
  await scene.do('alice', 'POST', '/api/domain/sitehost/map-site', { domain, siteRkey: 'blog' })
  await scene.do('alice', 'POST', `/api/domain/custom/${id}/map-site`, { siteRkey: 'blog' })
  await scene.upload('alice', 'ended', undefined, 'endedJob')
  await alice.client.watch(scene.facts['endedJob'] ?? '')
  await scene.claim('bob', 'bobs-name', 'ownDomain')
  await scene.add('bob', 'bob-example.com', 'ownId')
  // What bob publishes in the meantime goes once the account's server takes files again.
  for (const { rkey } of [scene.facts, nobodys]) {
    scene.after(() => scene.removeSite('bob', rkey ?? ''))
  }
  await scene.running('alice', 'under-way')
}

/** The id of an open deploy of alice. */
async function beginDeploy({ people }: Stage): Promise<string> {
  const sha256 = new Bun.CryptoHasher('sha256').update('').digest('hex')
  const body = JSON.stringify({ files: [{ path: 'index.html', sha256, size: 0 }] })
  const answer = await people.alice.client.fetch('/api/site/blog/deploys', { method: 'POST', body })
  return ((await answer.json()) as { deployId: string }).deployId
}

/** The id of a deploy token of her site. */
async function createToken({ people }: Stage): Promise<string> {
  const body = JSON.stringify({ name: 'ci', scope: 'deploy' })
  const answer = await people.alice.client.fetch('/api/site/blog/tokens', { method: 'POST', body })
  return ((await answer.json()) as { token: { id: string } }).token.id
}

/** The id of a publisher of her site. */
async function addPublisher({ people }: Stage): Promise<string> {
  const job = { issuer: 'https://forge.example', repository: 'alice/site', scope: 'preview' }
  const init = { method: 'POST', body: JSON.stringify(job) }
  const answer = await people.alice.client.fetch('/api/site/blog/publishers', init)
  return ((await answer.json()) as { id: string }).id
}

/** The id of a webhook of hers, at which nobody listens. */
async function addWebhook({ people }: Stage): Promise<string> {
  const hook = { url: 'http://127.0.0.1:1/', events: ['site.published'] }
  const init = { method: 'POST', body: JSON.stringify(hook) }
  const answer = await people.alice.client.fetch('/api/webhooks', init)
  return ((await answer.json()) as { webhook: { id: string } }).webhook.id
}

/** The id of its first delivery, after which it is disabled: what waits would change its rows. */
async function testWebhook({ people }: Stage, id: string): Promise<string> {
  const { client } = people.alice
  const answer = await client.fetch(`/api/webhooks/${id}/test`, { method: 'POST' })
  const body = JSON.stringify({ enabled: false })
  await client.fetch(`/api/webhooks/${id}`, { method: 'PATCH', body })
  return ((await answer.json()) as { id: string }).id
}

/** The revision of alice's repository that visitors of her site see. */
const liveRev = async (stage: Stage, did: Did): Promise<string> => (await liveRow(stage, did)).rev

/** The id of her site's live version. */
const liveVersion = async (stage: Stage, did: Did): Promise<string> =>
  `other-${(await liveRow(stage, did)).id}`

/** Of the record of her site's newest version. */
async function liveVersionKey({ database }: Stage, did: Did): Promise<string> {
  const { key } = await database.db
    .selectFrom('versionRecords')
    .select('key')
    .where('did', '=', did)
    .where('site', '=', nameOf('blog'))
    .orderBy('key', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return key
}

async function liveRow({ database }: Stage, did: Did): Promise<{ id: string; rev: string }> {
  return await database.db
    .selectFrom('versions')
    .select(['id', 'rev'])
    .where('did', '=', did)
    .where('name', '=', nameOf('blog'))
    .where('state', '=', 'live')
    .executeTakeFirstOrThrow()
}

/** What nobody has, by the names of `furnish`. */
export const nobodys: Facts = {
  rkey: 'nowhere',
  domain: 'nobodys.localhost',
  customDomain: 'nobodys.example.com',
  id: 'aaaaaaaaaaaaaaaa',
  waiting: 'bbbbbbbbbbbbbbbb',
  jobId: '00000000-0000-4000-8000-000000000000',
  signIn: '0'.repeat(64),
  endedJob: '00000000-0000-4000-8000-000000000001',
  deploy: '00000000-0000-4000-8000-000000000003',
  token: '00000000-0000-4000-8000-000000000004',
  publisher: '00000000-0000-4000-8000-000000000005',
  webhook: '00000000-0000-4000-8000-000000000006',
  delivery: `msg_${'0'.repeat(32)}`,
  version: 'other-00000000-0000-4000-8000-000000000002',
  versionKey: '3mkq2vtpdbk2c',
}

const owned = [
  ...['/api/auth/status', '/api/user/status', '/api/user/info', '/api/user/sites'],
  ...['/api/user/domains', '/api/user/site/blog/domains', '/api/site/blog/settings'],
  '/api/site/blog/tokens',
  '/api/site/blog/publishers',
  '/api/webhooks',
]

/** All that alice sees of what is hers, what her repository holds, and what visitors get. */
export async function stateOf({ stage, facts }: Scene): Promise<Record<string, unknown>> {
  const { client, did, repo } = stage.people.alice
  const state: Record<string, unknown> = {}
  for (const path of [...owned, `/sitehost/upload-progress/${facts['endedJob']}`]) {
    const answer = await client.fetch(path)
    // The firehose may still bring what was published before: it is read and verified once more. And visits count.
    const text = (await answer.text())
      .replace(/"verifiedAt":"[^"]*"/g, '')
      .replace(/"today":\{[^{}]*\{[^{}]*\}[^{}]*\}/g, '')
    state[path] = [answer.status, text]
  }
  for (const collection of ['place.sitehost.fs', settings]) {
    state[collection] = await getRecord(repo, collection, 'blog')
  }
  state['running job'] = await jobRow(stage, facts['jobId'] ?? '')
  for (const host of hostsOf(did, facts)) state[host] = await visit(stage, host)
  return state
}

async function jobRow({ database }: Stage, id: string): Promise<unknown> {
  const jobs = database.db.selectFrom('jobs').select(['status', 'error', 'did', 'site'])
  return await jobs.where('id', '=', id).executeTakeFirst()
}

const hostsOf = (did: Did, facts: Facts): string[] => [
  `${siteLabel({ did, name: nameOf('blog') })}.localhost`,
  ...[facts['domain'] ?? '', 'alice-example.com'],
]

/** What a visitor of this host gets: the status, and the page or where it leads. */
export async function visit(stage: Stage, host: string): Promise<string> {
  const port = Number(new URL(stage.world.app).port)
  const request = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const { status, headers, body } = await rawRequest(port, request)
  return `${status} ${headers['location'] ?? body.toString()}`
}
