import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { bringBack, takeOffline } from '#admin/take-offline.ts'
import { siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { pruneChanges } from '#store/database/changes.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { deleteCustomDomain, mapCustomDomain } from '#store/names/change-custom-domain.ts'
import { confirmCustomDomain } from '#store/names/confirm-custom-domain.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { claimSubdomain, mapSubdomain, releaseSubdomain } from '#store/names/subdomains.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { knownOf } from '#tests/support/certificates/known-names.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { answerAsk } from './ask.ts'
import { CertificateLog } from './certificate-log.ts'
import {
  NamesFollower,
  newDomainsAllowance,
  newNamesAllowance,
  ServedNames,
} from './served-names.ts'

const place = { applicationHost: 'app.example.net', baseDomain: 'sites.example' }
const label = siteLabel(siteOf('blog'))

let database: Database
let names: ServedNames
let end: AbortController
let following: Promise<unknown>
const wakeUps = new WakeUps()
beforeEach(open)
afterEach(close)

async function open(): Promise<void> {
  database = await memoryDatabase()
  names = new ServedNames(place)
  end = new AbortController()
  following = Promise.resolve()
}

async function close(): Promise<void> {
  end.abort()
  await following
  await database[Symbol.asyncDispose]()
}

const lines: LoggedLine[] = []
const newLog = () => new CertificateLog({ log: recordingLog(lines), now: () => 0 })
let log = newLog()

function ask(domain: string, init?: RequestInit): number {
  const url = `http://127.0.0.1:3001/?domain=${encodeURIComponent(domain)}`
  return answerAsk(new Request(url, init), { ...place, names, log }).status
}
const asked = (domain: string, status: number) => {
  // The feed reads without it too, within half a second.
  wakeUps.notify('changes')
  return eventually(async () => expect([domain, ask(domain)]).toEqual([domain, status]))
}

/** As the service does; resolves when the names have been read. */
async function follow(): Promise<void> {
  const { db } = database
  const [log, { signal }] = [recordingLog(), end]
  const follower = new NamesFollower({ db, log, names, signal })
  const feed = { db, wakeUps, log, pollMs: 5, signal }
  following = Promise.all([followChanges([follower], feed), follower.run()])
  await asked('app.example.net', 200)
  await eventually(async () => expect(names.has('')).toBe(false))
}

const goLiveAs = (name: string, rev = '3kaaaaaaaaaa2') =>
  goLive(database.db, snapshotOf({}, siteOf(name)), rev)
const claim = (domain: string) =>
  claimSubdomain(database.db, { did: alice, domain }, { subdomainsMax: 9, now: 1 })
const map = (domain: string, site: string | null) =>
  mapSubdomain(database.db, { did: alice, domain }, site as SiteName | null, 2)
const keyOf = (domain: string) => ({ did: alice, id: `id of ${domain}` })
async function add(domain: string, site: string | null): Promise<void> {
  const limits = { pendingMax: 9, domainsMax: 9, now: 1 }
  await addCustomDomain(database.db, { ...keyOf(domain), domain }, limits)
  if (site !== null) await mapCustomDomain(database.db, keyOf(domain), nameOf(site), 2)
}
const verify = (domain: string) =>
  confirmCustomDomain(
    database.db,
    keyOf(domain),
    { values: [alice], lookedUpAt: 3 },
    { change: {}, lossWarning: () => 'lost', now: 3 },
  )

describe('a certificate', () => {
  let served: ServedNames
  beforeAll(async () => {
    await open()
    await goLiveAs('blog')
    await claim('blog.sites.example')
    await map('blog.sites.example', 'blog')
    await claim('unmapped.sites.example')
    await add('www.blog.com', 'blog')
    await verify('www.blog.com')
    await add('unmapped.com', null)
    await verify('unmapped.com')
    await add('unverified.com', 'blog')
    await follow()
    // From here on only memory can answer.
    await close()
    served = names
  })
  beforeEach(() => {
    names = served
  })

  const facts: [what: string, name: string, status: number][] = [
    ['the application', 'app.example.net', 200],
    ['addresses by owner', 'sites.sites.example', 200],
    ['a mapped name', 'blog.sites.example', 200],
    ['a verified and mapped domain', 'www.blog.com', 200],
    ['however it is written', 'WWW.Blog.Com', 200],
    ['a known site', `${label}.sites.example`, 200],
    ['an unknown site', `s--${'a'.repeat(26)}.sites.example`, 404],
    ['a label that only looks like a site', 's--blog.sites.example', 404],
    ['a site’s label at another domain', `${label}.example.org`, 404],
    ['a site’s label alone', label, 404],
    ['a name that is not mapped', 'unmapped.sites.example', 404],
    ['a name that nobody has claimed', 'nobody.sites.example', 404],
    ['a name below one that is mapped', 'www.blog.sites.example', 404],
    ['where CNAMEs lead', 'abc.dns.sites.example', 404],
    ['a verified domain that is not mapped', 'unmapped.com', 404],
    ['a domain that is not verified', 'unverified.com', 404],
    ['a domain beside a verified one', 'blog.com', 404],
    ['any domain', 'random-12345.example.org', 404],
    ['the base domain, which has one of its own', 'sites.example', 404],
    ['an IPv4 address', '192.0.2.1', 404],
    ['an IPv6 address', '2001:db8::1', 404],
    ['10 kB', `${'a.'.repeat(5000)}sites.example`, 404],
    ['a wildcard', '*.sites.example', 404],
    ['nothing', '', 404],
    ['what is no name', '\0../<b>', 404],
  ]
  for (const [what, name, status] of facts) {
    test(`${what}: ${name.slice(0, 40)}, ${status}`, () => expect(ask(name)).toBe(status))
  }

  test('is an event, with the canonical name that was asked for', () => {
    lines.splice(0)
    log = newLog()
    ask('App.Example.net.')
    ask('Stranger.example')
    ask('what is no name')
    ask('app.example.net')
    expect(lines.map(({ fields }) => fields)).toEqual([
      { event: 'certificate_permitted', host: 'app.example.net' },
      { event: 'certificate_refused', host: 'stranger.example' },
    ])
  })

  test('is not given to whoever asks otherwise', () => {
    const at = (path: string, init?: RequestInit) =>
      answerAsk(new Request(`http://127.0.0.1:3001${path}`, init), { ...place, names, log }).status
    expect(at('/')).toBe(404)
    expect(at('/other?domain=app.example.net')).toBe(404)
    expect(at('/?domain=app.example.net', { method: 'POST' })).toBe(405)
  })

  test('a thousand names that nobody has leave nothing behind', () => {
    const before = names.size
    for (let n = 0; n < 1_000; n++) ask(`n${n}.sites.example`)
    expect(names.size).toBe(before)
  })
})

describe('within a second', () => {
  test('a claimed name is permitted once it is mapped, refused once it is not', async () => {
    await follow()
    await claim('blog.sites.example')
    expect(ask('blog.sites.example')).toBe(404)
    await map('blog.sites.example', 'blog')
    await asked('blog.sites.example', 200)
    await map('blog.sites.example', null)
    await asked('blog.sites.example', 404)
    await map('blog.sites.example', 'blog')
    await asked('blog.sites.example', 200)
    await releaseSubdomain(database.db, { did: alice, domain: 'blog.sites.example' }, 3)
    await asked('blog.sites.example', 404)
  })

  test('a domain is permitted once it is verified, refused once it is deleted', async () => {
    await follow()
    await add('www.blog.com', 'blog')
    expect(ask('www.blog.com')).toBe(404)
    await verify('www.blog.com')
    await asked('www.blog.com', 200)
    await deleteCustomDomain(database.db, keyOf('www.blog.com'), 4)
    await asked('www.blog.com', 404)
  })

  test('a site is permitted once it is live, refused while its account is away and once it is gone', async () => {
    await follow()
    const host = `${label}.sites.example`
    expect(ask(host)).toBe(404)
    await goLiveAs('blog')
    await asked(host, 200)
    await setAccountStatus(database.db, alice, 'deactivated', 2)
    await asked(host, 404)
    await setAccountStatus(database.db, alice, 'active', 3)
    await asked(host, 200)
    await removeSite(database.db, siteOf('blog'), '3kaaaaaaaaaa3', 4)
    await asked(host, 404)
  })

  test('a site that is taken down has no permitted name, until it is back', async () => {
    await goLiveAs('blog')
    await claim('blog.sites.example')
    await map('blog.sites.example', 'blog')
    await add('www.blog.com', 'blog')
    await verify('www.blog.com')
    await follow()
    const hosts = [`${label}.sites.example`, 'blog.sites.example', 'www.blog.com']
    for (const host of hosts) await asked(host, 200)
    const context = { db: database.db, wakeUps, log: recordingLog(), now: () => 9 }
    const by = { actor: 'ruth', reason: 'a court said so' }
    for (const site of [nameOf('blog'), ''] as const) {
      await takeOffline({ did: alice, site }, 451, by, context)
      for (const host of hosts) await asked(host, 404)
      await bringBack({ did: alice, site }, by, context)
      for (const host of hosts) await asked(host, 200)
    }
  })
})

describe('an account’s new names below the base domain', () => {
  const week = newNamesAllowance.windowMs
  const hostOf = (site: string, did = alice) => `${siteLabel(siteOf(site, did))}.sites.example`
  const publish = async (sites: string[], did = alice) => {
    for (const name of sites) {
      await goLive(database.db, snapshotOf({}, siteOf(name, did)), '3kaaaaaaaaaa2')
    }
    wakeUps.notify('changes')
    // Known, whether it is permitted or not.
    const label = siteLabel(siteOf(sites.at(-1) ?? '', did))
    await eventually(async () => expect(names.has(label)).toBe(true))
  }
  const ten = Array.from({ length: 10 }, (_, n) => `new-${n}`)
  let aheadMs: number
  beforeEach(() => {
    aheadMs = 0
    names = new ServedNames({ ...place, now: () => aheadMs })
  })

  test('ten get a certificate, the next one when its time has come', async () => {
    await follow()
    await publish([...ten, 'eleventh'])
    expect(ten.map((name) => ask(hostOf(name)))).toEqual(ten.map(() => 200))
    expect(ask(hostOf('eleventh'))).toBe(404)
    aheadMs = week / 10
    expect(ask(hostOf('eleventh'))).toBe(200)
    expect(ask(hostOf('eleventh'))).toBe(200)
    expect(ask(hostOf('new-0'))).toBe(200)
  })

  test('claimed ones are among them, a domain of one’s own is not', async () => {
    await follow()
    await publish(ten)
    for (const name of ten) ask(hostOf(name))
    await claim('eleventh.sites.example')
    await map('eleventh.sites.example', 'new-0')
    await add('www.blog.com', 'new-0')
    await verify('www.blog.com')
    await asked('www.blog.com', 200)
    expect([names.has('eleventh.sites.example'), ask('eleventh.sites.example')]).toEqual([
      true,
      404,
    ])
  })

  test('of domains of one’s own, twenty a day; what was permitted is renewed whatever else is asked', () => {
    const { count, windowMs } = newDomainsAllowance
    const added = Array.from({ length: count }, (_, n) => `new-${n}.com`)
    const learn = (domains: string[], did = alice) =>
      names.learn(domains, new Map(domains.map((domain) => [domain, did])))
    names.know(knownOf(names, ['old.com']))
    learn([...added, 'one-more.com'])
    learn(['bobs.com'], bob)
    const all200 = added.map(() => 200)
    expect(added.map((domain) => ask(domain))).toEqual(all200)
    expect(ask('one-more.com')).toBe(404)
    expect([...added.map((domain) => ask(domain)), ask('old.com')]).toEqual([...all200, 200])
    expect(ask('bobs.com')).toBe(200)
    aheadMs = windowMs / count
    expect(ask('one-more.com')).toBe(200)
  })

  test('another account has its own', async () => {
    await follow()
    await publish(ten)
    for (const name of ten) ask(hostOf(name))
    await publish(['theirs'], bob)
    expect(ask(hostOf('theirs', bob))).toBe(200)
  })

  test('what was there at the start is not new, nor what comes back', async () => {
    const old = [...ten, 'eleventh']
    for (const name of old) await goLiveAs(name)
    await follow()
    expect(old.map((name) => ask(hostOf(name)))).toEqual(old.map(() => 200))
    await setAccountStatus(database.db, alice, 'deactivated', 2)
    await asked(hostOf('eleventh'), 404)
    await setAccountStatus(database.db, alice, 'active', 3)
    await asked(hostOf('eleventh'), 200)
    expect(old.map((name) => ask(hostOf(name)))).toEqual(old.map(() => 200))
  })
})

test('until the names are read nobody knows, but for the service’s own', async () => {
  expect(ask('www.blog.com')).toBe(503)
  expect(ask(`${label}.sites.example`)).toBe(503)
  expect(ask('app.example.net')).toBe(200)
  expect(ask('192.0.2.1:x')).toBe(404)
})

test('where changes were missed, all names are read anew', async () => {
  await claim('gone.sites.example')
  await map('gone.sites.example', 'blog')
  await follow()
  await asked('gone.sites.example', 200)
  // As if this process had slept while others worked, longer than changes are kept.
  await database.db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('subdomains').execute()
    await transaction.updateTable('changes').set({ seq: 90 }).where('seq', '=', 2).execute()
    await pruneChanges(transaction, 100)
  })
  await asked('gone.sites.example', 404)
})

test('more names than are read at once', async () => {
  for (let n = 0; n < 1001; n++) {
    const row = { did: alice, site: nameOf('blog'), createdAt: 1, updatedAt: 1 }
    await database.db
      .insertInto('subdomains')
      .values({ ...row, domain: `n${n}.sites.example` })
      .execute()
  }
  await follow()
  expect(names.size).toBe(1001)
  expect(ask('n999.sites.example')).toBe(200)
})
