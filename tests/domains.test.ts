import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { isDomainId } from '#domains/dns-records.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp, type LookUp } from '#outbound/dns/look-up.ts'
import { customDomainsMax, keptSubdomainMs, pendingDomainsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { latestChangeSeq, readChanges } from '#store/database/changes.ts'
import { findSiteByHost } from '#store/names/hosts.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { accountOf, alice, bob, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { startDnsServer } from '#tests/support/servers/dns-server.ts'
import { baseDomain, testApi } from './support/api.ts'
import { eventually } from './support/eventually.ts'

const dns = await startDnsServer({})
const end = new AbortController()
const server = parseDnsServerAddress(dns.address)
if (server === null) throw new TypeError(dns.address)
const patient = createLookUp({ servers: [server], signal: end.signal })
const impatient = createLookUp({ servers: [server], signal: end.signal, patienceMs: 100 })
/** Only a server that will not answer is waited for briefly: one that will may be slow on a busy machine. */
const lookUp: LookUp = (type, name, signal) =>
  (dns.names.get(name) === 'silent' ? impatient : patient)(type, name, signal)
afterAll(async () => {
  end.abort()
  await dns[Symbol.asyncDispose]()
})

const api = testApi({ lookUp, baseUrl: `https://app.${baseDomain}` })
beforeEach(() => dns.names.clear())

async function ask(method: string, path: string, body?: unknown, did: Did = alice) {
  const response = await api().request(`/api/${path}`, {
    method,
    headers: { cookie: await api().signedIn(did) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return [response.status, await response.json()]
}
const get = (path: string, did?: Did) => ask('GET', path, undefined, did)
const claim = (handle: string, did?: Did) => ask('POST', 'domain/claim', { handle }, did)

/** Without a session, as anybody asks. */
async function asked(path: string) {
  const response = await api().request(`/api/domain/${path}`)
  return [response.status, await response.json()]
}

async function makeSite(name: string, did: Did = alice): Promise<void> {
  const site = siteOf(name, did)
  await upsertAccount(api().db, { did }, 0)
  await recordVersion(api().db, newVersion({ site, label: `s--${name}-${did}` }), 0)
}

async function add(domain: string, did: Did = alice): Promise<string> {
  const [status, body] = await ask('POST', 'domain/custom/add', { domain }, did)
  expect(status).toBe(200)
  return body.id
}

const proofAt = (domain: string) => `_sitehost.${domain}`
const verify = (id: string, did?: Did) => ask('POST', 'domain/custom/verify', { id }, did)

async function addVerified(domain: string, did: Did = alice): Promise<string> {
  dns.names.set(proofAt(domain), { txt: [did] })
  const id = await add(domain, did)
  expect(await verify(id, did)).toEqual([200, verified])
  return id
}

const verified = { success: true, verified: true, error: null, found: true }
const success = [200, { success: true }]
const domainNotFound = [404, { error: 'Domain not found' }]
const siteNotFound = [404, { error: 'Site not found' }]
const taken = [409, { error: 'That name is taken.' }]

describe('GET /api/domain/check', () => {
  test('a free name', async () => {
    const domain = `alice.${baseDomain}`
    expect(await asked('check?handle=alice')).toEqual([200, { available: true, domain }])
    expect(await asked('check?handle=ALICE')).toEqual([200, { available: true, domain }])
  })

  test('a taken one, one’s own too', async () => {
    await claim('alice')
    const answer = [200, { available: false, reason: 'taken', domain: `alice.${baseDomain}` }]
    expect(await asked('check?handle=Alice')).toEqual(answer)
    expect(await get('domain/check?handle=alice')).toEqual(answer)
  })

  const invalid = [
    ...[
      '',
      'ab',
      'admin',
      'Admin',
      'xn--80ak6aa92e',
      'a--b',
      '-a',
      'a-',
      'a.b',
      '%D0%B0%D0%B1%D0%B2',
    ],
    ...['a'.repeat(64), 'abc%00', 'abc%20', '%zz', 'sites', 'dns', 'app'],
  ]
  for (const handle of invalid) {
    test(`not a name: ${handle.slice(0, 20)}`, async () => {
      const answer = [200, { available: false, reason: 'invalid' }]
      expect(await asked(`check?handle=${handle}`)).toEqual(answer)
    })
  }

  test('without a name', async () => {
    expect(await asked('check')).toEqual([200, { available: false, reason: 'invalid' }])
  })
})

describe('POST /api/domain/claim', () => {
  test('a name', async () => {
    expect(await claim('Alice')).toEqual([200, { success: true, domain: `alice.${baseDomain}` }])
  })

  test('a taken one', async () => {
    await claim('alice')
    expect(await claim('alice', bob)).toEqual(taken)
    expect(await claim('alice')).toEqual(taken)
  })

  test('more than an account may have', async () => {
    for (const name of ['one', 'two', 'three']) expect((await claim(name))[0]).toBe(200)
    expect(await claim('four')).toEqual([
      403,
      { error: 'An account can have 3 of these names. Release one first.' },
    ])
    expect((await claim('four', bob))[0]).toBe(200)
  })

  const error =
    'handle: 3 to 63 letters (a to z), digits and single hyphens between them, and not a name that is reserved'
  for (const handle of ['admin', 'a--b', 'ab', 'блог', 'app', '']) {
    test(`not a name: ${handle}`, async () => {
      expect(await claim(handle)).toEqual([400, { error }])
    })
  }

  test('by fifty at once: one has it', async () => {
    const accounts = Array.from({ length: 50 }, (_, n) => accountOf(n))
    const answers = await Promise.all(accounts.map((did) => claim('wanted', did)))
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    expect(answers.filter(([status]) => status === 409)).toHaveLength(49)
  })
})

describe('POST /api/domain/update', () => {
  const update = (body: object, did?: Did) => ask('POST', 'domain/update', body, did)

  test('the only name needs no naming; what it leads to stays', async () => {
    await makeSite('blog')
    await claim('alice')
    const mapping = { domain: `alice.${baseDomain}`, siteRkey: 'blog' }
    await ask('POST', 'domain/sitehost/map-site', mapping)
    expect(await update({ handle: 'Alicia' })).toEqual([
      200,
      { success: true, domain: `alicia.${baseDomain}` },
    ])
    const hosts = [`alice.${baseDomain}`, `alicia.${baseDomain}`]
    expect(await Promise.all(hosts.map((host) => findSiteByHost(api().db, host)))).toEqual([
      null,
      siteOf('blog'),
    ])
  })

  test('one of several has to be named', async () => {
    await claim('one')
    await claim('two')
    expect(await update({ handle: 'three' })).toEqual([
      400,
      { error: 'domain: you have several names, specify the one to rename' },
    ])
    expect(await update({ handle: 'three', domain: `TWO.${baseDomain}.` })).toEqual([
      200,
      { success: true, domain: `three.${baseDomain}` },
    ])
    expect(await get('user/domains')).toMatchObject([
      200,
      {
        sitehostDomains: [{ domain: `one.${baseDomain}` }, { domain: `three.${baseDomain}` }],
      },
    ])
  })

  test('to a taken name, or to none', async () => {
    await claim('alice')
    await claim('bob', bob)
    expect(await update({ handle: 'bob' })).toEqual(taken)
    expect((await update({ handle: 'a--b' }))[0]).toBe(400)
    expect(await update({ handle: 'alice' })).toEqual([
      200,
      { success: true, domain: `alice.${baseDomain}` },
    ])
  })

  test('without any', async () => {
    expect(await update({ handle: 'alice' })).toEqual(domainNotFound)
  })
})

describe('POST /api/domain/sitehost/map-site', () => {
  const map = (siteRkey: unknown, domain = `alice.${baseDomain}`) =>
    ask('POST', 'domain/sitehost/map-site', { domain, siteRkey })
  const leadsTo = () => findSiteByHost(api().db, `alice.${baseDomain}`)
  beforeEach(async () => {
    await claim('alice')
    await makeSite('blog')
    await makeSite('theirs', bob)
  })

  test('to a site, and to none', async () => {
    expect(await map('blog', `ALICE.${baseDomain}`)).toEqual(success)
    expect(await leadsTo()).toEqual(siteOf('blog'))
    expect(await map(null)).toEqual(success)
    expect(await leadsTo()).toBeNull()
  })

  for (const rkey of ['unknown', 'theirs', 'not a name', '..', '', '\0']) {
    test(`to a site that is not there: ${JSON.stringify(rkey)}`, async () => {
      expect(await map(rkey)).toEqual(siteNotFound)
      expect(await leadsTo()).toBeNull()
    })
  }

  for (const domain of ['alice', 'unknown.example', `\0.${baseDomain}`, '', 'a b', baseDomain]) {
    test(`of a name that is not there: ${JSON.stringify(domain)}`, async () => {
      expect(await map('blog', domain)).toEqual(domainNotFound)
    })
  }

  test('has to say which', async () => {
    expect((await map(undefined))[0]).toBe(400)
    expect((await map(7))[0]).toBe(400)
  })
})

describe('DELETE /api/domain/sitehost/:domain', () => {
  const release = (domain: string) => ask('DELETE', `domain/sitehost/${domain}`)

  test('makes the name free for who had it, and in time for others', async () => {
    await claim('alice')
    expect(await release(`Alice.${baseDomain}`)).toEqual(success)
    expect(await release(`alice.${baseDomain}`)).toEqual(domainNotFound)
    expect(await claim('alice', bob)).toEqual([409, { error: 'That name is taken.' }])
    api().now += keptSubdomainMs
    expect((await claim('alice', bob))[0]).toBe(200)
  })

  for (const domain of ['unknown.example', 'alice', '%00', '%zz', '%2F', 'x'.repeat(300)]) {
    test(`that is not there: ${domain.slice(0, 20)}`, async () => {
      await claim('alice')
      expect(await release(domain)).toEqual(domainNotFound)
    })
  }
})

describe('GET /api/domain/registered', () => {
  test('a subdomain, mapped or not', async () => {
    await claim('alice')
    await makeSite('blog')
    const domain = `alice.${baseDomain}`
    const facts = { registered: true, type: 'sitehost', domain, did: alice }
    expect(await asked(`registered?domain=${domain}`)).toEqual([200, { ...facts, rkey: '' }])
    await ask('POST', 'domain/sitehost/map-site', { domain, siteRkey: 'blog' })
    for (const spelling of [domain, `${domain}.`, domain.toUpperCase()]) {
      expect(await asked(`registered?domain=${spelling}`)).toEqual([
        200,
        { ...facts, rkey: 'blog' },
      ])
    }
  })

  test('a custom domain, verified or not, mapped or not', async () => {
    const id = await add('例え.jp')
    await makeSite('blog')
    const facts = { registered: true, type: 'custom', domain: 'xn--r8jz45g.jp', did: alice }
    const registered = () => asked(`registered?domain=${encodeURIComponent('例え.jp')}`)
    expect(await registered()).toEqual([200, { ...facts, rkey: null, verified: false }])
    await ask('POST', `domain/custom/${id}/map-site`, { siteRkey: 'blog' })
    dns.names.set(proofAt('xn--r8jz45g.jp'), { txt: [alice] })
    await verify(id)
    expect(await registered()).toEqual([200, { ...facts, rkey: 'blog', verified: true }])
  })

  test('of several that wait the oldest, until one is verified', async () => {
    await add('example.com')
    api().now += 1
    const theirs = await add('example.com', bob)
    const did = async () => (await asked('registered?domain=example.com'))[1].did
    expect(await did()).toBe(alice)
    dns.names.set(proofAt('example.com'), { txt: [bob] })
    await verify(theirs, bob)
    expect(await did()).toBe(bob)
  })

  const unregistered = ['example.com', `bob.${baseDomain}`, '%00', 'a%20b', '%zz', 'x'.repeat(300)]
  for (const domain of unregistered) {
    test(`nobody’s: ${domain.slice(0, 20)}`, async () => {
      expect(await asked(`registered?domain=${domain}`)).toEqual([404, { registered: false }])
    })
  }

  test('without a domain', async () => {
    const answer = [400, { error: 'Domain parameter required' }]
    expect(await asked('registered')).toEqual(answer)
    expect(await asked('registered?domain=')).toEqual(answer)
  })
})

describe('POST /api/domain/custom/add', () => {
  test('a domain, and again: the same', async () => {
    const [status, body] = await ask('POST', 'domain/custom/add', { domain: 'Example.COM.' })
    expect(isDomainId(body.id)).toBe(true)
    const answer = { success: true, id: body.id, domain: 'example.com', verified: false }
    expect([status, body]).toEqual([200, answer])
    expect(await ask('POST', 'domain/custom/add', { domain: 'example.com' })).toEqual([200, answer])
    dns.names.set(proofAt('example.com'), { txt: [alice] })
    await verify(body.id)
    expect(await ask('POST', 'domain/custom/add', { domain: 'example.com' })).toEqual([
      200,
      { ...answer, verified: true },
    ])
  })

  const refused: [string, string][] = [
    [baseDomain, 'this is a name of the service itself; choose one below it instead'],
    [`x.${baseDomain}`, 'this is a name of the service itself; choose one below it instead'],
    [`app.${baseDomain}`, 'this is a name of the service itself; choose one below it instead'],
    ['co.uk', 'nobody owns this one; people register names below it'],
    ['github.io', 'nobody owns this one; people register names below it'],
    ['localhost', 'names that end like this are not in the public DNS'],
    ['a.test', 'names that end like this are not in the public DNS'],
    ['1.2.3.4', 'expected a name such as www.example.com, without https:// and without a path'],
    [
      'https://a.com/',
      'expected a name such as www.example.com, without https:// and without a path',
    ],
    ['a.com\0', 'expected a name such as www.example.com, without https:// and without a path'],
    ['', 'expected a name such as www.example.com, without https:// and without a path'],
  ]
  for (const [domain, sentence] of refused) {
    test(`refused: ${JSON.stringify(domain)}`, async () => {
      const error = `domain: ${sentence}`
      expect(await ask('POST', 'domain/custom/add', { domain })).toEqual([400, { error }])
    })
  }

  test('what another account has verified, not what it only added', async () => {
    await addVerified('example.com')
    await add('example.org')
    await add('example.org', bob)
    expect(await ask('POST', 'domain/custom/add', { domain: 'example.com' }, bob)).toEqual([
      409,
      {
        error:
          'Another account has verified this domain. It can be added some days after its TXT record no longer names that account.',
      },
    ])
  })

  test('no more than may wait', async () => {
    for (let n = 0; n < pendingDomainsMax; n += 1) await add(`${n}.com`)
    expect(await ask('POST', 'domain/custom/add', { domain: 'more.com' })).toEqual([
      403,
      { error: 'At most 20 domains can wait to be verified. Verify or delete one first.' },
    ])
    await addVerified('more.com', bob)
  })

  test('no more than an account may have', async () => {
    for (let n = 0; n < customDomainsMax; n += 1) await addVerified(`${n}.com`)
    expect(await ask('POST', 'domain/custom/add', { domain: 'more.com' })).toEqual([
      403,
      { error: 'An account can have 100 domains. Delete one first.' },
    ])
  })
})

describe('POST /api/domain/custom/verify', () => {
  const name = proofAt('example.com')
  const failed = (error: string, found: boolean) => [
    200,
    { success: false, verified: false, error, found },
  ]
  const many = Array.from({ length: 299 }, (_, n) => `value ${n}`)

  const proofs: [string, readonly (string | readonly string[])[]][] = [
    ['the right value', [alice]],
    ['among others', [bob, 'v=spf1 -all', alice]],
    ['in chunks', [[alice.slice(0, 5), alice.slice(5)]]],
    ['among three hundred', [...many, alice]],
  ]
  for (const [what, txt] of proofs) {
    test(`${what}: verified`, async () => {
      dns.names.set(name, { txt })
      expect(await verify(await add('example.com'))).toEqual([200, verified])
    })
  }

  test('by an alias: verified', async () => {
    dns.names.set(name, { cname: 'proofs.example.net' })
    dns.names.set('proofs.example.net', { txt: [alice] })
    expect(await verify(await add('example.com'))).toEqual([200, verified])
  })

  test('an internationalised domain: verified', async () => {
    dns.names.set('_sitehost.xn--r8jz45g.jp', { txt: [alice] })
    expect(await verify(await add('例え.jp'))).toEqual([200, verified])
  })

  const noRecord = `There is no TXT record at ${name} yet: add one with the value ${alice} (a new record can take a while to be seen).`
  const unreachable = `The name servers for ${name} did not answer: try again in a few minutes, and check the domain’s DNS if that does not help.`
  const says = (what: string) =>
    `The TXT record at ${name} says ${what}: add one with the value ${alice}.`
  const failures: [string, Parameters<typeof dns.names.set>[1] | null, string, boolean][] = [
    ['no such name', null, noRecord, false],
    ['no such record', { a: ['192.0.2.1'] }, noRecord, false],
    ['aliases in a circle', { cname: name }, noRecord, false],
    ['somebody else’s', { txt: [bob] }, says(`"${bob}"`), true],
    ['in quotation marks', { txt: [`"${alice}"`] }, says(JSON.stringify(`"${alice}"`)), true],
    ['with a prefix', { txt: [`did=${alice}`] }, says(`"did=${alice}"`), true],
    ['in other letters', { txt: [alice.toUpperCase()] }, says(`"${alice.toUpperCase()}"`), true],
    [
      'in two records',
      { txt: [alice.slice(0, 5), alice.slice(5)] },
      says(`"did:p", "${alice.slice(5)}"`),
      true,
    ],
    ['an empty value', { txt: [''] }, says('""'), true],
    ['many', { txt: many }, says('"value 0", "value 1", "value 2" and 296 more'), true],
    ['a long one', { txt: [['x'.repeat(255), 'y']] }, says(`"${'x'.repeat(79)}…"`), true],
    ['one that no terminal should see', { txt: ['\u001b[2J'] }, says('"\\u001b[2J"'), true],
    ['a failure', 'failing', unreachable, false],
    ['silence', 'silent', unreachable, false],
  ]
  for (const [what, records, error, found] of failures) {
    test(`${what}: not verified`, async () => {
      if (records !== null) dns.names.set(name, records)
      const id = await add('example.com')
      expect(await verify(id)).toEqual(failed(error, found))
      expect((await get('user/domains'))[1].customDomains[0]).toMatchObject({ verified: false })
    })
  }

  test('what another account has, while its value is there: not verified', async () => {
    const [mine, theirs] = [await add('example.com'), await add('example.com', bob)]
    dns.names.set(name, { txt: [alice, bob] })
    expect(await verify(mine)).toEqual([200, verified])
    api().now += 1
    const error = `Another account has verified example.com: make ${bob} the only value of the TXT record at ${name}, which says "${alice}", "${bob}" now, and try again.`
    expect(await verify(theirs, bob)).toEqual(failed(error, true))
  })

  test('what another account has, once its value is gone: it moves at once', async () => {
    const [mine, theirs] = [await add('example.com'), await add('example.com', bob)]
    dns.names.set(name, { txt: [alice] })
    await verify(mine)
    api().now += 1
    dns.names.set(name, { txt: [bob] })
    expect(await verify(theirs, bob)).toEqual([200, verified])
    expect((await get('user/domains'))[1].customDomains[0]).toMatchObject({
      verified: false,
      warning: expect.stringContaining(
        `example.com has not been served since 2030-01-01, because another account’s value took the place of ${alice} in the TXT record at ${name}`,
      ),
    })
  })

  test('by two accounts at once: one has it', async () => {
    const ids = [await add('example.com'), await add('example.com', bob)]
    dns.names.set(name, { txt: [alice, bob] })
    const answers = await Promise.all(ids.map((id, n) => verify(id, n === 0 ? alice : bob)))
    expect(answers.map(([, body]) => body.verified).sort()).toEqual([false, true])
  })

  test('a verified one whose proof is gone: this look-up says so, and the domain stays', async () => {
    const id = await addVerified('example.com')
    api().now += 1
    dns.names.delete(name)
    expect(await verify(id)).toEqual(failed(noRecord, false))
    expect((await get('user/domains'))[1].customDomains[0]).toMatchObject({
      verified: true,
      warning: expect.stringContaining('put it back before 2030-01-04'),
    })
  })

  test('more than four at once', async () => {
    const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => add(`${n}.com`)))
    for (const n of [1, 2, 3, 4, 5]) dns.names.set(proofAt(`${n}.com`), 'silent')
    const since = dns.questions.length
    const going = ids.slice(0, 4).map((id) => verify(id))
    await eventually(async () => {
      const silent = dns.questions.slice(since).filter((question) => question.startsWith('TXT'))
      expect(silent.length).toBeGreaterThanOrEqual(4)
    })
    const headers = { cookie: await api().signedIn(alice) }
    const body = JSON.stringify({ id: ids[4] })
    const refused = await api().request('/api/domain/custom/verify', {
      ...{ method: 'POST', headers, body },
    })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await Promise.all(going)).map(([status]) => status)).toEqual([200, 200, 200, 200])
    expect((await verify(ids[4] ?? ''))[0]).toBe(200)
  })

  test('one that is deleted meanwhile', async () => {
    dns.names.set(name, 'silent')
    const id = await add('example.com')
    const since = dns.questions.length
    const verifying = verify(id)
    await eventually(async () => expect(dns.questions.length).toBeGreaterThan(since))
    await ask('DELETE', `domain/custom/${id}`)
    expect(await verifying).toEqual(domainNotFound)
  })
})

describe('where a domain leads', () => {
  const warningOf = async (records: Parameters<typeof dns.names.set>[1] | null, host: string) => {
    const id = await addVerified(host)
    const target = `${id}.dns.${baseDomain}`
    dns.names.set(target, { a: ['192.0.2.1'] })
    if (records !== null) dns.names.set(host, records)
    if (typeof records === 'object' && records?.cname === 'TARGET') {
      dns.names.set(host, { cname: target })
    }
    await verify(id)
    const row = (await get('user/domains'))[1].customDomains[0]
    return row.warning?.replaceAll(target, 'TARGET') ?? null
  }
  const host = 'www.example.com'
  const remedy = `set a CNAME record for ${host} with the target TARGET.`
  const facts: [string, Parameters<typeof dns.names.set>[1] | null, string, string | null][] = [
    ['to us', { cname: 'TARGET' }, host, null],
    ['to our address', { a: ['192.0.2.1'] }, host, null],
    ['nowhere', null, host, `${host} points nowhere yet: ${remedy}`],
    [
      'elsewhere',
      { cname: 'cdn.example.net' },
      host,
      `${host} points to "cdn.example.net": unless a proxy there passes visitors on, ${remedy}`,
    ],
    [
      'to another address',
      { a: ['192.0.2.9'] },
      host,
      `${host} points to "192.0.2.9": unless a proxy there passes visitors on, ${remedy}`,
    ],
    ['we cannot tell', 'failing', host, null],
    ['at the top, to our address', { a: ['192.0.2.1'] }, 'example.com', null],
    [
      'at the top, nowhere',
      null,
      'example.com',
      'example.com points nowhere yet: set an ALIAS or ANAME record for example.com with the target TARGET (or A and AAAA records with its addresses).',
    ],
  ]
  for (const [what, records, name, warning] of facts) {
    test(what, async () => expect(await warningOf(records, name)).toBe(warning))
  }

  test('not here: the rows of its site say so', async () => {
    await makeSite('blog')
    const id = await addVerified(host)
    await ask('POST', `domain/custom/${id}/map-site`, { siteRkey: 'blog' })
    const rows = async () => (await get('user/site/blog/domains'))[1].domains
    const row = { type: 'custom', domain: host, verified: true, id }
    expect(await rows()).toEqual([{ ...row, pointsHere: false }])
    dns.names.set(host, { cname: `${id}.dns.${baseDomain}` })
    await verify(id)
    expect(await rows()).toEqual([row])
  })
})

describe('POST /api/domain/custom/:id/map-site', () => {
  const map = (id: string, siteRkey: unknown) =>
    ask('POST', `domain/custom/${id}/map-site`, { siteRkey })
  const leadsTo = () => findSiteByHost(api().db, 'example.com')
  beforeEach(async () => {
    await makeSite('blog')
    await makeSite('theirs', bob)
  })

  test('a verified domain to a site, and to none', async () => {
    const id = await addVerified('example.com')
    expect(await map(id, 'blog')).toEqual(success)
    expect(await leadsTo()).toEqual(siteOf('blog'))
    expect(await map(id, null)).toEqual(success)
    expect(await leadsTo()).toBeNull()
  })

  test('one that waits: it is mapped, and not served before it is verified', async () => {
    const id = await add('example.com')
    expect(await map(id, 'blog')).toEqual(success)
    expect(await leadsTo()).toBeNull()
    dns.names.set(proofAt('example.com'), { txt: [alice] })
    await verify(id)
    expect(await leadsTo()).toEqual(siteOf('blog'))
  })

  test('to a site that is not there', async () => {
    const id = await add('example.com')
    for (const rkey of ['unknown', 'theirs', '..', '\0']) {
      expect(await map(id, rkey)).toEqual(siteNotFound)
    }
    expect((await map(id, undefined))[0]).toBe(400)
  })
})

describe('somebody else’s, or nobody’s', () => {
  const routes: [string, string, unknown][] = [
    ['POST', 'domain/update', { handle: 'mine-now', domain: `alice.${baseDomain}` }],
    ['POST', 'domain/sitehost/map-site', { domain: `alice.${baseDomain}`, siteRkey: null }],
    ['POST', 'domain/sitehost/map-site', { domain: `alice.${baseDomain}`, siteRkey: 'theirs' }],
    ['DELETE', `domain/sitehost/alice.${baseDomain}`, undefined],
    ['POST', 'domain/custom/verify', { id: 'ID' }],
    ['DELETE', 'domain/custom/ID', undefined],
    ['POST', 'domain/custom/ID/map-site', { siteRkey: null }],
    ['POST', 'domain/custom/ID/map-site', { siteRkey: 'theirs' }],
  ]
  const ids = ['aaaaaaaaaaaaaaaa', 'x', '%00', '%zz', 'a'.repeat(500)]

  for (const [method, path, body] of routes) {
    const withId = (value: unknown, id: string) =>
      value === undefined ? undefined : JSON.parse(JSON.stringify(value).replace('"ID"', `"${id}"`))

    test(`${method} ${path} ${JSON.stringify(body)}: nothing changes hands`, async () => {
      await makeSite('blog')
      await makeSite('theirs', bob)
      await claim('alice')
      const id = await addVerified('example.com')
      const mapping = { domain: `alice.${baseDomain}`, siteRkey: 'blog' }
      await ask('POST', 'domain/sitehost/map-site', mapping)
      await ask('POST', `domain/custom/${id}/map-site`, { siteRkey: 'blog' })
      const before = [await get('user/domains'), await latestChangeSeq(api().db)]
      const asBob = await ask(method, path.replace('ID', id), withId(body, id), bob)
      expect(asBob).toEqual(domainNotFound)
      expect([await get('user/domains'), await latestChangeSeq(api().db)]).toEqual(before)
      expect((await get('user/domains', bob))[1]).toEqual({
        ...{ sitehostDomains: [], customDomains: [] },
      })
    })

    if (JSON.stringify([path, body]).includes('ID')) {
      for (const id of ids) {
        test(`${method} ${path} with the id ${id.slice(0, 20)}: no such domain`, async () => {
          await makeSite('theirs')
          const answer = await ask(method, path.replace('ID', id), withId(body, id))
          expect(answer).toEqual(domainNotFound)
        })
      }
    }
  }
})

describe('bodies that are none', () => {
  const paths = [
    'domain/claim',
    'domain/update',
    'domain/custom/add',
    'domain/custom/verify',
    'domain/sitehost/map-site',
    'domain/custom/aaaaaaaaaaaaaaaa/map-site',
  ]
  for (const path of paths) {
    for (const body of ['', '{', 'null', '[]', '{}', '{"handle":1,"domain":{},"id":[]}']) {
      test(`POST ${path} ${body}`, async () => {
        const [status, answer] = await ask('POST', path, body)
        expect([status, Object.keys(answer)]).toEqual([400, ['error']])
      })
    }
  }
})

describe('every change is told to the edge', () => {
  test('by its host', async () => {
    await makeSite('blog')
    dns.names.set(proofAt('example.com'), { txt: [alice] })
    const [one, two] = [`one.${baseDomain}`, `two.${baseDomain}`]
    const id = await add('example.com')
    const steps: [string, () => Promise<unknown>, string[]][] = [
      ['claim', () => claim('one'), [one]],
      [
        'map',
        () => ask('POST', 'domain/sitehost/map-site', { domain: one, siteRkey: 'blog' }),
        [one],
      ],
      ['rename', () => ask('POST', 'domain/update', { handle: 'two' }), [one, two]],
      [
        'unmap',
        () => ask('POST', 'domain/sitehost/map-site', { domain: two, siteRkey: null }),
        [two],
      ],
      ['release', () => ask('DELETE', `domain/sitehost/${two}`), [two]],
      ['verify', () => verify(id), ['example.com']],
      ['verify again', () => verify(id), []],
      [
        'map',
        () => ask('POST', `domain/custom/${id}/map-site`, { siteRkey: 'blog' }),
        ['example.com'],
      ],
      ['delete', () => ask('DELETE', `domain/custom/${id}`), ['example.com']],
    ]
    for (const [what, step, hosts] of steps) {
      const since = await latestChangeSeq(api().db)
      using wakeUp = api().wakeUps.subscribe('changes')
      await step()
      const changes = await readChanges(api().db, since)
      expect([what, ...changes.map((change) => change.kind === 'host' && change.host)]).toEqual([
        what,
        ...hosts,
      ])
      await wakeUp.wait(60_000)
    }
  })
})

describe('what the owner sees', () => {
  test('GET /api/user/domains', async () => {
    await makeSite('blog')
    await claim('alice')
    const id = await add('example.com')
    expect(await get('user/domains')).toEqual([
      200,
      {
        sitehostDomains: [{ domain: `alice.${baseDomain}`, rkey: '' }],
        customDomains: [
          {
            id,
            domain: 'example.com',
            verified: false,
            rkey: null,
            lastCheckedAt: null,
            createdAt: '2030-01-01T00:00:00.000Z',
            warning: null,
            dns: {
              txt: { name: '_sitehost.example.com', value: alice },
              cname: { name: 'example.com', target: `${id}.dns.${baseDomain}` },
            },
            found: { txt: false, cname: false },
            lost: false,
            zone: 'example.com',
          },
        ],
      },
    ])
    expect(await get('user/domains', bob)).toEqual([
      200,
      { sitehostDomains: [], customDomains: [] },
    ])
  })

  test('GET /api/user/site/:rkey/domains, and the site’s row', async () => {
    await makeSite('blog')
    await claim('alice')
    await claim('other')
    const id = await add('example.com')
    await ask('POST', 'domain/sitehost/map-site', {
      ...{ domain: `alice.${baseDomain}`, siteRkey: 'blog' },
    })
    await ask('POST', `domain/custom/${id}/map-site`, { siteRkey: 'blog' })
    const domains = [
      { type: 'sitehost', domain: `alice.${baseDomain}` },
      { type: 'custom', domain: 'example.com', verified: false, id },
    ]
    expect(await get('user/site/blog/domains')).toEqual([200, { rkey: 'blog', domains }])
    expect(await get('user/sites')).toMatchObject([200, { sites: [{ rkey: 'blog', domains }] }])
    expect(await get('user/site/other/domains')).toEqual([200, { rkey: 'other', domains: [] }])
    expect(await get('user/site/blog/domains', bob)).toEqual([200, { rkey: 'blog', domains: [] }])
    expect(await get('user/site/a%20b/domains')).toEqual(siteNotFound)
  })

  test('GET /api/user/status: the oldest name', async () => {
    expect(await get('user/status')).toMatchObject([200, { hasDomain: false, domain: null }])
    await claim('zoe')
    api().now += 1
    await claim('alice')
    const domain = `zoe.${baseDomain}`
    expect(await get('user/status')).toMatchObject([200, { hasDomain: true, domain }])
  })
})
