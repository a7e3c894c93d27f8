import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateId } from '#certificates/acme/certificate-id.ts'
import type { Authority } from '#certificates/authority.ts'
import { type CertificatePoint, certificatePoints } from '#certificates/fail-points.ts'
import { unwantCertificates } from '#store/certificates/certificates.ts'
import type { Database } from '#store/database/database.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import {
  type AcmeWorld,
  here,
  openAcmeWorld,
  openPlace,
  shownBy,
} from '#tests/support/certificates/certificate-place.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { type AcmeProxy, startAcmeProxy } from '#tests/support/servers/acme-proxy.ts'
import { startAcmeServer } from '#tests/support/servers/acme-server.ts'
import { eventually } from './support/eventually.ts'
import { hasPrograms } from './support/require.ts'

// What certificate authorities do and Pebble does not is done by a proxy in front of it.

const isHere = await hasPrograms('orders at Pebble', 'pebble')

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Of Pebble. */
const newOrder = '/order-plz'
const host = 'www.alice-shop.com'

let dir: string
let world: AcmeWorld
let proxy: AcmeProxy
/** The authority behind the proxy. */
let limited: Authority
let database: Database
let place: Awaited<ReturnType<typeof openPlace>>

const problem = (type: string, status: number, headers = {}) =>
  Response.json(
    { type: `urn:ietf:params:acme:error:${type}`, detail: 'in its words' },
    { status, headers },
  )
const ordered = () => proxy.requests.filter(({ path }) => path === newOrder)

if (isHere) {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-orders-'))
    world = await openAcmeWorld(dir)
    world.dns.names.set(host, here)
  }, 60_000)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })
  beforeEach(async () => {
    proxy = startAcmeProxy(world.acme.url)
    limited = { ...world.authority, directory: proxy.url }
    database = await memoryDatabase()
    place = await openPlace(world, database)
    await place.certificates.want(host)
  })
  afterEach(async () => {
    await place[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
    await proxy[Symbol.asyncDispose]()
  })
  const byProxy = () => ({ authorities: [limited] })

  test('a limit of the authority: it is left alone as long as it says', async () => {
    proxy.answer = ({ path }) =>
      path === newOrder ? problem('rateLimited', 429, { 'retry-after': '7200' }) : null
    await place.order(byProxy())
    const { dueAt, failures, lastError, lastProblem } = await place.row(host)
    expect([failures, lastProblem, lastError]).toEqual([
      1,
      'rate-limit',
      'rateLimited: in its words',
    ])
    expect(dueAt).toBe(place.now() + 2 * hourMs)
  }, 60_000)

  test('what the authority sends in place of a certificate is a failure like others', async () => {
    proxy.answer = ({ path }) => (path.startsWith('/certZ/') ? new Response('junk') : null)
    await place.order(byProxy())
    const { dueAt, failures, lastProblem } = await place.row(host)
    expect([failures, lastProblem]).toEqual([1, 'other'])
    expect(dueAt).toBeGreaterThan(place.now() + 3 * minuteMs)
  }, 60_000)

  test('another authority issues what the first one cannot issue now', async () => {
    proxy.answer = ({ path }) => (path === newOrder ? problem('rateLimited', 429) : null)
    await place.order({ authorities: [limited, world.authority] })
    expect(await place.row(host)).toMatchObject({ failures: 0, issuedBy: world.acme.url })
    await shownBy(world, host)
  }, 60_000)

  test('it is not asked where the name is at fault', async () => {
    await place.tls[Symbol.asyncDispose]()
    const before = world.acme.orders()
    await place.order({ authorities: [limited, world.authority] })
    expect(await place.row(host)).toMatchObject({ failures: 1, lastProblem: 'connection' })
    expect(world.acme.orders() - before).toBe(1)
  }, 60_000)

  test('an account that has used up its orders waits, which is no failure; another authority does not', async () => {
    const spend = () =>
      place.db
        .updateTable('acmeAccounts')
        .set({ ordersSpentUntil: place.now() + 3 * hourMs })
        .where('directory', '=', proxy.url)
        .execute()
    const second = 'blog.alice-shop.com'
    await place.order(byProxy())
    await spend()
    world.dns.names.set(second, here)
    await place.certificates.want(second)
    await place.order(byProxy())
    const { dueAt, failures } = await place.row(second)
    expect([failures, ordered().length]).toEqual([0, 1])
    expect(dueAt - place.now()).toBeWithin(1, minuteMs)
    place.later(minuteMs)
    await spend()
    await place.order({ authorities: [limited, world.authority] })
    expect(await place.row(second)).toMatchObject({ failures: 0, issuedBy: world.acme.url })
  }, 60_000)

  test('a CAA record that forbids it: nothing is ordered, and the owner reads which record it is', async () => {
    proxy.directory = { meta: { caaIdentities: ['ca.example'] } }
    world.dns.names.set('alice-shop.com', { caa: ['other.example'] })
    await place.order(byProxy())
    const { lastError, lastProblem } = await place.row(host)
    expect([lastProblem, ordered()]).toEqual(['caa', []])
    expect(lastError).toBe(
      'caa: alice-shop.com has CAA 0 issue "other.example"; to allow this service, add CAA 0 issue "ca.example"',
    )
    world.dns.names.set('alice-shop.com', { caa: ['other.example', 'ca.example'] })
    place.later(hourMs)
    await place.order(byProxy())
    expect(await place.row(host)).toMatchObject({ failures: 0, lastProblem: null })
    world.dns.names.delete('alice-shop.com')
  }, 60_000)

  test('an authority that wants a certificate renewed, such as one that it revokes, is asked for another one that replaces it', async () => {
    proxy.directory = { renewalInfo: `${proxy.origin}/renewal-info` }
    await place.order(byProxy())
    const { chain: first, renewAt } = await place.row(host)
    const id = certificateId(first ?? '')
    const window = { start: place.now() + dayMs, end: place.now() + 2 * dayMs }
    const asked = () => proxy.requests.filter(({ path }) => path.startsWith('/renewal-info/'))
    proxy.answer = ({ path }) => {
      if (path !== `/renewal-info/${id}`) return null
      const [start, end] = [
        new Date(window.start).toISOString(),
        new Date(window.end).toISOString(),
      ]
      const headers = { 'retry-after': '3600' }
      return Response.json({ suggestedWindow: { start, end } }, { headers })
    }
    expect([await place.askRenewals(byProxy()), asked().length]).toEqual([1, 1])
    const later = await place.row(host)
    expect(later.renewAt).toBeWithin(window.start, window.end)
    expect(later.renewAt).not.toBe(renewAt)
    // Asked again after the hour that it said, and not before.
    place.later(59 * minuteMs)
    expect([await place.askRenewals(byProxy()), await place.order(byProxy())]).toEqual([0, 0])
    place.later(2 * minuteMs)
    Object.assign(window, { start: 0, end: 1 })
    // Its limits do not count for these.
    await place.db
      .updateTable('acmeAccounts')
      .set({ ordersSpentUntil: place.now() + dayMs })
      .execute()
    expect([await place.askRenewals(byProxy()), await place.order(byProxy())]).toEqual([1, 1])
    expect((await place.row(host)).chain).not.toBe(first)
    expect(ordered().map(({ payload }) => payload?.['replaces'])).toEqual([undefined, id ?? ''])
  }, 60_000)

  test('what it does not know to replace is ordered all the same; where it does not answer, time decides', async () => {
    proxy.directory = { renewalInfo: `${proxy.origin}/renewal-info` }
    await place.order(byProxy())
    const { chain, renewAt } = await place.row(host)
    proxy.answer = ({ path, payload }) => {
      if (path.startsWith('/renewal-info/')) return problem('serverInternal', 500)
      return payload?.['replaces'] === undefined ? null : problem('alreadyReplaced', 409)
    }
    await place.askRenewals(byProxy())
    expect((await place.row(host)).renewAt).toBe(renewAt)
    place.setClock(Number(renewAt))
    const spend = (until: number) =>
      place.db.updateTable('acmeAccounts').set({ ordersSpentUntil: until }).execute()
    // Then it is an order like others.
    await spend(place.now() + 3 * hourMs)
    await place.order(byProxy())
    expect(await place.row(host)).toMatchObject({ failures: 0, chain })
    place.setClock(Number((await place.row(host)).dueAt))
    await spend(0)
    await place.order(byProxy())
    expect(await place.row(host)).toMatchObject({ failures: 0 })
    expect((await place.row(host)).chain).not.toBe(chain)
  }, 60_000)

  test('a profile is asked for where it is offered', async () => {
    const tlsserver = { ...limited, profile: 'tlsserver' }
    await place.order({ authorities: [tlsserver] })
    proxy.directory = { meta: { profiles: { tlsserver: 'for servers' } } }
    place.setClock(Number((await place.row(host)).renewAt))
    await place.order({ authorities: [tlsserver] })
    expect(ordered().map(({ payload }) => payload?.['profile'])).toEqual([undefined, 'tlsserver'])
    expect(place.events.join()).toContain('certificate profile not offered')
  }, 60_000)

  test('an authority that wants to know the account already', async () => {
    const externalAccount = { keyId: 'kid-1', key: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG4' }
    const { httpPort, httpsPort } = world
    await using acme = await startAcmeServer({
      dir,
      dnsServer: world.dns.address,
      httpPort,
      httpsPort,
      externalAccount,
    })
    const authority = { ...world.authority, directory: acme.url }
    await place.order({ authorities: [authority] })
    expect(await place.row(host)).toMatchObject({ failures: 1, lastProblem: 'account' })
    place.later(hourMs)
    await place.order({ authorities: [{ ...authority, externalAccount }] })
    expect(await place.row(host)).toMatchObject({ failures: 0, issuedBy: acme.url })
  }, 60_000)

  test('a name that is taken away while its certificate is ordered is not ordered again', async () => {
    const at = async (point: CertificatePoint) => {
      if (point === 'certificate-name-proven') await unwantCertificates(place.db, [host])
    }
    await place.order({ at })
    expect(await place.row(host)).toMatchObject({ isWanted: 0, failures: 0 })
    place.later(20 * 365 * dayMs)
    expect(await place.order()).toBe(0)
  }, 60_000)

  test('a process that dies, at any moment of an order: the next one gets the certificate after the lease', async () => {
    const hosts = certificatePoints.map((point) => `${point}.alice-shop.com`)
    for (const each of hosts) world.dns.names.set(each, here)
    await place.db.updateTable('certificates').set({ isWanted: 0 }).execute()
    for (const [n, point] of certificatePoints.entries()) {
      await place.certificates.want(hosts[n] ?? '')
      const reached = Promise.withResolvers<void>()
      const at = async (reachedPoint: CertificatePoint) => {
        if (reachedPoint !== point) return
        reached.resolve()
        await new Promise(() => undefined)
      }
      void place.orderElsewhere({ at })
      await reached.promise
    }
    expect(await place.order()).toBe(0)
    place.later(3 * minuteMs)
    expect(await place.order()).toBe(hosts.length)
    for (const each of hosts) await shownBy(world, each)
  }, 60_000)

  test('an order that hangs delays no other one but of the same account’s custom domains', async () => {
    const ofSameAccount = 'third.alice-shop.com'
    for (const domain of [host, ofSameAccount]) {
      const key = { did: alice, id: domain, domain }
      await addCustomDomain(place.db, key, { pendingMax: 3, domainsMax: 5, now: 1 })
    }
    await place.db.updateTable('customDomains').set({ verified: 1 }).execute()
    const stop = new AbortController()
    const hung = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    let isHung = false
    const kept = place.keep({
      at: async () => {
        // The first order that comes here.
        if (isHung) return
        isHung = true
        hung.resolve()
        await over.promise
      },
      signal: stop.signal,
    })
    try {
      await hung.promise
      const second = 'second.alice-shop.com'
      world.dns.names.set(second, here)
      await place.certificates.want(ofSameAccount)
      await place.certificates.want(second)
      await eventually(async () => expect((await place.row(second)).chain).not.toBeNull())
      expect((await place.row(host)).chain).toBeNull()
      // Nobody has taken it.
      expect((await place.row(ofSameAccount)).dueAt).toBe(place.now())
    } finally {
      stop.abort()
      over.resolve()
      await kept
    }
  }, 60_000)

  test('a process that stops while it orders leaves the name to the next one at once', async () => {
    const stop = new AbortController()
    await place.orderElsewhere({
      at: (point) => point === 'certificate-name-proven' && stop.abort(),
      signal: stop.signal,
    })
    expect(await place.row(host)).toMatchObject({ failures: 0, chain: null })
    expect(await place.order()).toBe(1)
    await shownBy(world, host)
  }, 60_000)
}
