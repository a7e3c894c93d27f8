import { aTime, like } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const ofDora = { section: 'ours', by: 'dora' } as const
const list = { ...ofDora, route: 'GET /api/webhooks' } as const
const add = { ...ofDora, route: 'POST /api/webhooks' } as const
const change = { ...ofDora, route: 'PATCH /api/webhooks/:id' } as const
const remove = { ...ofDora, route: 'DELETE /api/webhooks/:id' } as const
const replace = { ...ofDora, route: 'POST /api/webhooks/:id/secret' } as const
const test = { ...ofDora, route: 'POST /api/webhooks/:id/test' } as const
const log = { ...ofDora, route: 'GET /api/webhooks/:id/deliveries' } as const
const again = {
  ...ofDora,
  route: 'POST /api/webhooks/:id/deliveries/:delivery/redeliver',
} as const

const foreign = { ...ofDora, route: 'GET /api/user/foreign-webhooks' } as const
const bringOver = { ...ofDora, route: 'POST /api/user/foreign-webhooks/bring-over' } as const

const facts = { url: 'https://hooks.example/sitehost', rkey: 'blog', events: ['site.published'] }
const webhook = {
  ...{ id: like('[0-9a-f-]{36}'), ...facts, enabled: true, disabledBy: null },
  ...{ failingSince: null, skipped: 0, formerSecretUntil: null },
  ...{ createdAt: aTime, updatedAt: aTime },
}
const secret = like('whsec_[\\w+/]{43}=')
const nobodys = '/api/webhooks/00000000-0000-4000-8000-000000000006'
const notFound = {
  what: 'a webhook that is not there',
  status: 404,
  body: { error: 'You have no such webhook.' },
} as const

/** `{hook}`, disabled: what is sent would change it. */
async function addHook(scene: Scene): Promise<void> {
  const { webhook } = (await scene.do('dora', 'POST', '/api/webhooks', facts)) as unknown as {
    webhook: { id: string }
  }
  const path = `/api/webhooks/${webhook.id}`
  await scene.do('dora', 'PATCH', path, { enabled: false })
  scene.know('hook', webhook.id)
  const { client } = scene.stage.people.dora
  // Perhaps it is gone.
  scene.after(() => client.fetch(path, { method: 'DELETE' }))
}

/** Webhooks (docs/webhooks.md). What they are sent: tests/webhooks. */
export const webhookRows: readonly Row[] = [
  {
    ...add,
    what: 'a webhook, with its secret, once',
    path: '/api/webhooks',
    json: facts,
    status: 200,
    body: { secret, webhook },
  },
  {
    ...add,
    what: 'one of what no site can be called',
    json: { ...facts, rkey: 'a/b' },
    status: 404,
    body: { error: 'Site not found' },
  },
  {
    ...list,
    what: 'those of the account, without their secrets',
    status: 200,
    body: { webhooks: [webhook] },
  },
  {
    ...foreign,
    what: 'those of other networks, where none is served',
    path: '/api/user/foreign-webhooks',
    status: 200,
    body: { webhooks: [], more: false },
  },
  {
    ...bringOver,
    what: 'one that is not there',
    path: '/api/user/foreign-webhooks/bring-over',
    json: { key: '3mkq2vtpdbk2c' },
    status: 404,
    body: { error: 'Your account has no such webhook of a network that is served here.' },
  },
  {
    ...change,
    what: 'what is said anew; the rest stays',
    given: addHook,
    path: '/api/webhooks/{hook}',
    json: { events: ['site.deleted'] },
    status: 200,
    body: { ...webhook, events: ['site.deleted'], enabled: false, disabledBy: 'owner' },
  },
  { ...change, ...notFound, path: nobodys, json: {} },
  {
    ...replace,
    what: 'a new secret, once',
    given: addHook,
    path: '/api/webhooks/{hook}/secret',
    status: 200,
    body: { secret },
  },
  { ...replace, ...notFound, path: `${nobodys}/secret` },
  {
    ...log,
    what: 'its deliveries',
    given: addHook,
    path: '/api/webhooks/{hook}/deliveries',
    status: 200,
    body: { deliveries: [], cursor: null },
  },
  { ...log, ...notFound, path: `${nobodys}/deliveries` },
  { ...test, ...notFound, path: `${nobodys}/test` },
  { ...again, ...notFound, path: `${nobodys}/deliveries/x/redeliver` },
  {
    ...again,
    what: 'a delivery that is not there',
    given: addHook,
    path: '/api/webhooks/{hook}/deliveries/x/redeliver',
    status: 404,
    body: { error: 'This webhook has no such delivery.' },
  },
  {
    ...remove,
    what: 'a webhook',
    given: addHook,
    path: '/api/webhooks/{hook}',
    status: 200,
    body: { success: true },
  },
  { ...remove, ...notFound, path: nobodys },
]
