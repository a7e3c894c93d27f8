import { aDomainId, like } from './like.ts'
import type { Row, Section } from './row.ts'
import type { Scene } from './scene.ts'

const success = { status: 200, body: { success: true } }
const domainNotFound = { status: 404, body: { error: 'Domain not found' } }
const siteNotFound = { status: 404, body: { error: 'Site not found' } }
const taken = { status: 409, body: { error: 'That name is taken.' } }
const invalid = { status: 200, body: { available: false, reason: 'invalid' } }
const notAName = {
  status: 400,
  body: {
    error:
      'handle: 3 to 63 letters (a to z), digits and single hyphens between them, and not a name that is reserved',
  },
}

const check = { route: 'GET /api/domain/check', by: 'nobody' } as const
const registered = { route: 'GET /api/domain/registered', by: 'nobody' } as const
const claim = { route: 'POST /api/domain/claim', by: 'alice' } as const
const update = { route: 'POST /api/domain/update', by: 'alice' } as const

async function released(scene: Scene): Promise<void> {
  await scene.claim('alice', 'released-now')
  await scene.do('alice', 'DELETE', '/api/domain/sitehost/released-now.localhost')
}
const alicesName = (scene: Scene) => scene.claim('alice', 'alices-name')
const threeNames = async (scene: Scene) => {
  for (const name of ['one', 'two', 'three']) await scene.claim('dora', `dora-${name}`)
}
const mapTo = async (scene: Scene, siteRkey: string) => {
  const { domain } = scene.facts
  await scene.do('alice', 'POST', '/api/domain/sitehost/map-site', { domain, siteRkey })
}

// security.md H32: no name is made of these.
const notNames = [
  ...['admin', 'Www', 's', 'ab', 'a'.repeat(64), 'xn--80ak6aa92e', 'a--b', '-abc', 'abc-'],
  ...['%D0%B0%D0%BF%D1%80%D0%BB%D0%B5', 'a.b', 'sites', 'dns', ''],
]

/** §4.3 as far as names below the base domain go, with decisions.md §4. */
export const subdomainRows: readonly Row[] = [
  {
    ...check,
    section: '4.3',
    what: 'a name that is free',
    path: '/api/domain/check?handle=is-free',
    ...{ status: 200, body: { available: true, domain: 'is-free.{base}' } },
  },
  {
    ...check,
    section: 'decisions 4',
    what: 'one that alice has released',
    given: released,
    path: '/api/domain/check?handle=released-now',
    status: 200,
    body: { available: false, reason: 'taken', domain: 'released-now.{base}' },
  },
  {
    ...check,
    section: 'decisions 4',
    what: 'the same, for alice',
    by: 'alice',
    given: released,
    path: '/api/domain/check?handle=released-now',
    ...{ status: 200, body: { available: true, domain: 'released-now.{base}' } },
  },
  {
    ...check,
    section: 'decisions 4',
    what: 'upper case is folded',
    path: '/api/domain/check?handle=IS-Free',
    ...{ status: 200, body: { available: true, domain: 'is-free.{base}' } },
  },
  {
    ...check,
    section: 'decisions 4',
    what: 'a name that somebody has',
    path: '/api/domain/check?handle=alices-name',
    given: alicesName,
    ...{ status: 200, body: { available: false, reason: 'taken', domain: '{domain}' } },
  },
  ...notNames.map((handle, n) => ({
    ...check,
    section: (n === 0 ? '4.3' : 'decisions 4') as Section,
    situation: '`GET /api/domain/check` with invalid handle',
    what: `no name: ${handle.slice(0, 30) || 'nothing'}`,
    path: `/api/domain/check?handle=${handle}`,
    ...invalid,
  })),
  {
    ...check,
    section: 'decisions 4',
    what: 'no handle at all',
    ...invalid,
  },
  {
    ...registered,
    section: '4.3',
    what: 'a subdomain that leads to a site',
    given: async (scene) => {
      await alicesName(scene)
      await mapTo(scene, 'blog')
    },
    path: '/api/domain/registered?domain={domain}',
    status: 200,
    body: { registered: true, type: 'sitehost', domain: '{domain}', did: '{alice}', rkey: 'blog' },
  },
  {
    ...registered,
    section: 'decisions 6',
    what: 'a subdomain that leads nowhere',
    given: alicesName,
    path: '/api/domain/registered?domain={domain}',
    status: 200,
    body: { registered: true, type: 'sitehost', domain: '{domain}', did: '{alice}', rkey: '' },
  },
  {
    ...registered,
    section: '4.3',
    what: 'a custom domain that is verified and leads to a site',
    given: async (scene) => {
      await scene.addVerified('alice', 'alice-example.com')
      const path = `/api/domain/custom/${scene.facts['id']}/map-site`
      await scene.do('alice', 'POST', path, { siteRkey: 'blog' })
    },
    path: '/api/domain/registered?domain=alice-example.com',
    status: 200,
    body: {
      ...{ registered: true, type: 'custom', domain: 'alice-example.com' },
      ...{ did: '{alice}', rkey: 'blog', verified: true },
    },
  },
  {
    ...registered,
    section: 'decisions 6',
    what: 'one that waits and leads nowhere; of two that wait, the older',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      await scene.add('bob', 'alice-example.com', 'bobs')
    },
    path: '/api/domain/registered?domain=alice-example.com',
    status: 200,
    body: {
      ...{ registered: true, type: 'custom', domain: 'alice-example.com' },
      ...{ did: '{alice}', rkey: null, verified: false },
    },
  },
  {
    ...registered,
    section: 'decisions 6',
    what: 'of several claims the verified one',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      await scene.addVerified('bob', 'alice-example.com', 'bobs')
    },
    path: '/api/domain/registered?domain=alice-example.com',
    status: 200,
    body: {
      ...{ registered: true, type: 'custom', domain: 'alice-example.com' },
      ...{ did: '{bob}', rkey: null, verified: true },
    },
  },
  {
    ...registered,
    section: '4.3',
    what: 'nobody’s',
    path: '/api/domain/registered?domain=nobodys.example.com',
    ...{ status: 404, body: { registered: false } },
  },
  {
    ...registered,
    section: '4.3',
    situation: '`GET /api/domain/registered` without `domain`',
    what: 'no domain is named',
    ...{ status: 400, body: { error: 'Domain parameter required' } },
  },
  {
    ...claim,
    section: '4.3',
    what: 'a free name',
    given: (scene) => releaseInTheEnd(scene, 'Claimed-Now'),
    json: { handle: 'Claimed-Now' },
    ...{ status: 200, body: { success: true, domain: 'claimed-now.{base}' } },
  },
  {
    ...claim,
    section: 'decisions 4',
    what: 'what cannot be a name',
    json: { handle: 'a--b' },
    ...notAName,
  },
  {
    ...claim,
    section: 'decisions 4',
    what: 'a name that somebody has',
    by: 'bob',
    given: alicesName,
    json: { handle: 'alices-name' },
    ...taken,
  },
  {
    ...claim,
    section: 'decisions 4',
    what: 'a name that another has released: kept for them',
    by: 'bob',
    given: released,
    json: { handle: 'released-now' },
    ...taken,
  },
  {
    ...claim,
    section: 'decisions 4',
    what: 'a name that one has released oneself',
    given: async (scene) => {
      await released(scene)
      await releaseInTheEnd(scene, 'released-now')
    },
    json: { handle: 'released-now' },
    ...{ status: 200, body: { success: true, domain: 'released-now.{base}' } },
  },
  {
    ...claim,
    section: 'decisions 4',
    what: 'a fourth name',
    by: 'dora',
    given: threeNames,
    json: { handle: 'dora-four' },
    status: 403,
    body: { error: 'An account can have 3 of these names. Release one first.' },
  },
  {
    ...claim,
    section: 'decisions 1',
    what: 'a body without a handle',
    json: { name: 'x' },
    ...{ status: 400, body: { error: like('handle: .+') } },
  },
  {
    ...update,
    section: '4.3',
    what: 'the only name, called otherwise',
    given: alicesName,
    json: { handle: 'alices-other-name' },
    ...{ status: 200, body: { success: true, domain: 'alices-other-name.{base}' } },
  },
  {
    ...update,
    section: 'decisions 4',
    what: 'one of several, which is named',
    by: 'dora',
    given: threeNames,
    json: { handle: 'dora-four', domain: 'dora-two.{base}' },
    ...{ status: 200, body: { success: true, domain: 'dora-four.{base}' } },
  },
  {
    ...update,
    section: 'decisions 4',
    what: 'one of several, and which is not said',
    by: 'dora',
    given: threeNames,
    json: { handle: 'dora-four' },
    status: 400,
    body: { error: 'domain: you have several names, specify the one to rename' },
  },
  {
    ...update,
    section: 'decisions 4',
    what: 'to a name that somebody has',
    by: 'bob',
    given: async (scene) => {
      await alicesName(scene)
      await scene.claim('bob', 'bobs-name')
    },
    json: { handle: 'alices-name' },
    ...taken,
  },
  {
    ...update,
    section: 'decisions 4',
    what: 'to what cannot be a name',
    given: alicesName,
    json: { handle: 'admin' },
    ...notAName,
  },
  {
    ...update,
    section: 'decisions 1',
    what: 'a name that is another’s, or nobody’s',
    by: 'bob',
    given: alicesName,
    json: { handle: 'bobs-now', domain: '{domain}' },
    ...domainNotFound,
  },
  {
    route: 'POST /api/domain/sitehost/map-site',
    section: '4.3',
    what: 'a name to a site',
    by: 'alice',
    given: alicesName,
    json: { domain: '{domain}', siteRkey: 'blog' },
    ...success,
  },
  {
    route: 'POST /api/domain/sitehost/map-site',
    section: 'decisions 4',
    what: 'a name to none',
    by: 'alice',
    given: alicesName,
    json: { domain: '{domain}', siteRkey: null },
    ...success,
  },
  {
    route: 'POST /api/domain/sitehost/map-site',
    section: 'decisions 4',
    what: 'to a site that is not there',
    by: 'alice',
    given: alicesName,
    json: { domain: '{domain}', siteRkey: 'theirs' },
    ...siteNotFound,
  },
  {
    route: 'POST /api/domain/sitehost/map-site',
    section: 'decisions 4',
    what: 'a name that is not there',
    by: 'alice',
    json: { domain: 'nobodys.{base}', siteRkey: 'blog' },
    ...domainNotFound,
  },
  {
    route: 'DELETE /api/domain/sitehost/:domain',
    section: '4.3',
    what: 'a name is given up',
    by: 'alice',
    given: alicesName,
    path: '/api/domain/sitehost/{domain}',
    ...success,
  },
  {
    route: 'DELETE /api/domain/sitehost/:domain',
    section: 'decisions 1',
    what: 'a name that is not there',
    by: 'alice',
    path: '/api/domain/sitehost/nobodys.{base}',
    ...domainNotFound,
  },
]

/** §4.3 as far as people's own domains go, with decisions.md §4. */
export const customDomainRows: readonly Row[] = [
  {
    route: 'POST /api/domain/custom/add',
    section: '4.3',
    what: 'a domain, which then waits to be verified',
    by: 'alice',
    given: (scene) => deleteInTheEnd(scene, 'alice-example.com'),
    json: { domain: 'Alice-Example.com.' },
    status: 200,
    body: { success: true, id: aDomainId, domain: 'alice-example.com', verified: false },
  },
  {
    route: 'POST /api/domain/custom/add',
    section: 'decisions 4',
    what: 'a domain in letters of its own, by its A-labels',
    by: 'alice',
    given: (scene) => deleteInTheEnd(scene, 'xn--r8jz45g.jp'),
    json: { domain: '例え.jp' },
    status: 200,
    body: { success: true, id: aDomainId, domain: 'xn--r8jz45g.jp', verified: false },
  },
  {
    route: 'POST /api/domain/custom/add',
    section: 'decisions 4',
    what: 'one’s own again: the same id and flag',
    by: 'alice',
    given: (scene) => scene.addVerified('alice', 'alice-example.com'),
    json: { domain: 'alice-example.com' },
    status: 200,
    body: { success: true, id: '{id}', domain: 'alice-example.com', verified: true },
  },
  {
    route: 'POST /api/domain/custom/add',
    section: 'decisions 4',
    what: 'one that another account waits to verify',
    by: 'alice',
    given: async (scene) => {
      await scene.add('bob', 'alice-example.com', 'bobs')
      await deleteInTheEnd(scene, 'alice-example.com')
    },
    json: { domain: 'alice-example.com' },
    status: 200,
    body: { success: true, id: aDomainId, domain: 'alice-example.com', verified: false },
  },
  {
    route: 'POST /api/domain/custom/add',
    section: 'decisions 4',
    what: 'one that another account has verified',
    by: 'alice',
    given: (scene) => scene.addVerified('bob', 'bob-example.com'),
    json: { domain: 'bob-example.com' },
    status: 409,
    body: {
      error:
        'Another account has verified this domain. It can be added some days after its TXT record no longer names that account.',
    },
  },
  {
    route: 'POST /api/domain/custom/add',
    section: 'decisions 4',
    what: 'one more than 20 that wait',
    by: 'dora',
    given: async (scene) => {
      for (let n = 0; n < 20; n++) await scene.add('dora', `dora-${n}.com`)
    },
    json: { domain: 'dora-20.com' },
    status: 403,
    body: { error: 'At most 20 domains can wait to be verified. Verify or delete one first.' },
  },
  // security.md H34
  ...(
    [
      ['{base}', 'this is a name of the service itself; choose one below it instead'],
      ['below.{base}', 'this is a name of the service itself; choose one below it instead'],
      ['127.0.0.1', 'expected a name such as www.example.com, without https:// and without a path'],
      ['1.2.3.4', 'expected a name such as www.example.com, without https:// and without a path'],
      ['[::1]', 'expected a name such as www.example.com, without https:// and without a path'],
      ['co.uk', 'nobody owns this one; people register names below it'],
      ['github.io', 'nobody owns this one; people register names below it'],
      ['a.test', 'names that end like this are not in the public DNS'],
    ] as const
  ).map(([domain, reason]) => ({
    route: 'POST /api/domain/custom/add',
    section: 'decisions 4' as const,
    what: `refused: ${domain}`,
    by: 'alice' as const,
    json: { domain },
    ...{ status: 400, body: { error: `domain: ${reason}` } },
  })),
  {
    route: 'POST /api/domain/custom/verify',
    section: '4.3',
    what: 'the TXT record names the account',
    by: 'alice',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      scene.prove('alice-example.com', 'something else', scene.stage.people.alice.did)
    },
    json: { id: '{id}' },
    status: 200,
    body: { success: true, verified: true, error: null, found: true },
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: '4.3',
    what: 'there is no TXT record',
    by: 'alice',
    given: (scene) => scene.add('alice', 'alice-example.com'),
    json: { id: '{id}' },
    status: 200,
    body: {
      ...{ success: false, verified: false, found: false },
      error:
        'There is no TXT record at _sitehost.alice-example.com yet: add one with the value {alice} (a new record can take a while to be seen).',
    },
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: 'decisions 4',
    what: 'the TXT record says something else',
    by: 'alice',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      scene.prove('alice-example.com', 'v=spf1')
    },
    json: { id: '{id}' },
    status: 200,
    body: {
      ...{ success: false, verified: false, found: true },
      error:
        'The TXT record at _sitehost.alice-example.com says "v=spf1": add one with the value {alice}.',
    },
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: 'decisions 4',
    what: 'another account has it, and its value is still there',
    by: 'alice',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      await scene.addVerified('bob', 'alice-example.com', 'bobs')
      const { alice, bob } = scene.stage.people
      scene.prove('alice-example.com', alice.did, bob.did)
    },
    json: { id: '{id}' },
    status: 200,
    body: {
      ...{ success: false, verified: false, found: true },
      error:
        'Another account has verified alice-example.com: make {alice} the only value of the TXT record at _sitehost.alice-example.com, which says "{alice}", "{bob}" now, and try again.',
    },
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: 'decisions 4',
    what: 'another account has it, and its value is gone: it moves at once',
    by: 'alice',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      await scene.addVerified('bob', 'alice-example.com', 'bobs')
      scene.prove('alice-example.com', scene.stage.people.alice.did)
    },
    json: { id: '{id}' },
    status: 200,
    body: { success: true, verified: true, error: null, found: true },
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: 'decisions 4',
    what: 'the name server fails',
    by: 'alice',
    given: async (scene) => {
      await scene.add('alice', 'alice-example.com')
      scene.prove('alice-example.com')
      scene.stage.dns.names.set('_sitehost.alice-example.com', 'failing')
    },
    json: { id: '{id}' },
    status: 200,
    body: {
      ...{ success: false, verified: false, found: false },
      error:
        'The name servers for _sitehost.alice-example.com did not answer: try again in a few minutes, and check the domain’s DNS if that does not help.',
    },
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: 'decisions 4',
    what: 'an id that is another’s',
    by: 'bob',
    given: (scene) => scene.add('alice', 'alice-example.com'),
    json: { id: '{id}' },
    ...domainNotFound,
  },
  {
    route: 'POST /api/domain/custom/verify',
    section: 'decisions 4',
    what: 'an id that nobody has',
    by: 'alice',
    json: { id: 'aaaaaaaaaaaaaaaa' },
    ...domainNotFound,
  },
  {
    route: 'DELETE /api/domain/custom/:id',
    section: '4.3',
    what: 'a domain is taken off',
    by: 'alice',
    given: (scene) => scene.add('alice', 'alice-example.com'),
    path: '/api/domain/custom/{id}',
    ...success,
  },
  {
    route: 'DELETE /api/domain/custom/:id',
    section: 'decisions 1',
    what: 'an id that nobody has',
    by: 'alice',
    path: '/api/domain/custom/aaaaaaaaaaaaaaaa',
    ...domainNotFound,
  },
  {
    route: 'POST /api/domain/custom/:id/map-site',
    section: '4.3',
    what: 'a domain to a site, verified or not',
    by: 'alice',
    given: (scene) => scene.add('alice', 'alice-example.com'),
    path: '/api/domain/custom/{id}/map-site',
    json: { siteRkey: 'blog' },
    ...success,
  },
  {
    route: 'POST /api/domain/custom/:id/map-site',
    section: 'decisions 4',
    what: 'a domain to none',
    by: 'alice',
    given: (scene) => scene.add('alice', 'alice-example.com'),
    path: '/api/domain/custom/{id}/map-site',
    json: { siteRkey: null },
    ...success,
  },
  {
    route: 'POST /api/domain/custom/:id/map-site',
    section: 'decisions 4',
    what: 'to a site that is not there',
    by: 'alice',
    given: (scene) => scene.add('alice', 'alice-example.com'),
    path: '/api/domain/custom/{id}/map-site',
    json: { siteRkey: 'theirs' },
    ...siteNotFound,
  },
  {
    route: 'POST /api/domain/custom/:id/map-site',
    section: 'decisions 4',
    what: 'a domain that is not there',
    by: 'alice',
    path: '/api/domain/custom/aaaaaaaaaaaaaaaa/map-site',
    json: { siteRkey: 'blog' },
    ...domainNotFound,
  },
]

/** What the row itself makes is given up again. */
function releaseInTheEnd(scene: Scene, handle: string): void {
  const { client } = scene.stage.people.alice
  const domain = `${handle}.${scene.facts['base']}`
  scene.after(() => client.fetch(`/api/domain/sitehost/${domain}`, { method: 'DELETE' }))
}

function deleteInTheEnd(scene: Scene, domain: string): void {
  scene.after(async () => {
    const { id = '' } = await scene.do('alice', 'POST', '/api/domain/custom/add', { domain })
    await scene.do('alice', 'DELETE', `/api/domain/custom/${id}`)
  })
}
