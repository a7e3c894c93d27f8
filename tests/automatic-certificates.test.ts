import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Authority } from '#certificates/authority.ts'
import { type RunningService, startServing } from '#main/commands/serve.ts'
import {
  type AcmeWorld,
  application,
  baseDomain,
  here,
  openAcmeWorld,
  openPlace,
  shownBy,
} from '#tests/support/certificates/certificate-place.ts'
import { knownOf } from '#tests/support/certificates/known-names.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { eventually } from './support/eventually.ts'
import { hasPrograms } from './support/require.ts'

// A real certificate authority that really looks and refuses every third nonce, and a real name server.

const isHere = await hasPrograms('certificates by Pebble', 'pebble')

const dayMs = 24 * 60 * 60 * 1000

let dir: string
let world: AcmeWorld
/** An authority that does not answer. */
let away: Authority
const shown = (host: string) => shownBy(world, host)

if (isHere) {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-automatic-'))
    world = await openAcmeWorld(dir)
    away = { ...world.authority, directory: 'https://127.0.0.1:9/dir' }
  }, 60_000)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  test('ordered before anybody visits: the application, the base domain, custom domains; not names below it', async () => {
    await using database = await memoryDatabase()
    const custom = 'www.alice-shop.com'
    for (const host of [custom, `sites.${baseDomain}`]) world.dns.names.set(host, here)
    await using place = await openPlace(world, database, new Set([custom, `blog.${baseDomain}`]))
    await place.review()
    expect(await place.order()).toBe(4)
    for (const host of [application, baseDomain, `sites.${baseDomain}`, custom]) {
      expect((await shown(host)).names).toBe(`DNS:${host}`)
    }
    // Nothing is due any more.
    await place.review()
    expect(await place.order()).toBe(0)
    const { sealedKey } = await place.row(custom)
    expect(sealedKey).not.toContain('PRIVATE')
    expect((await place.row(custom)).validUntil).toBeGreaterThan(Date.now() + dayMs)
  }, 60_000)

  test('the first visitors of a permitted name wait for it, all for one order; others are refused at once', async () => {
    await using database = await memoryDatabase()
    const host = `blog.${baseDomain}`
    world.dns.names.set(host, here)
    await using place = await openPlace(world, database, new Set([host]))
    const visits = [shown(host), shown(host), shown(host)]
    await eventually(async () => expect((await place.row(host)).isWanted).toBe(1))
    await expect(shown(`nobody.${baseDomain}`)).rejects.toThrow()
    await expect(shown('www.any.com')).rejects.toThrow()
    const before = world.acme.orders()
    await place.order()
    const serials = new Set((await Promise.all(visits)).map(({ serial }) => serial))
    expect([serials.size, world.acme.orders() - before]).toEqual([1, 1])
  }, 60_000)

  test('a name that does not lead here is not ordered for, and is tried again later', async () => {
    await using database = await memoryDatabase()
    const host = 'www.elsewhere-shop.com'
    world.dns.names.set(host, { a: ['192.0.2.7'] })
    await using place = await openPlace(world, database)
    await place.certificates.want(host)
    const before = world.acme.orders()
    await place.order()
    expect(await place.row(host)).toMatchObject({
      failures: 0,
      dnsFailures: 1,
      lastProblem: 'elsewhere',
    })
    // Its visitors need not wait for what is not tried now.
    place.served.know(knownOf(place.served, [host]))
    await expect(shown(host)).rejects.toThrow()
    expect(await place.order()).toBe(0)
    expect(world.acme.orders()).toBe(before)
    world.dns.names.set(host, here)
    // No authority was asked, so it is looked at again soon. What an authority says then is its first failure.
    expect((await place.row(host)).dueAt - place.now()).toBeWithin(30_000, 40_001)
    place.later(40_000)
    await place.order({ authorities: [away] })
    const { dueAt, failures, lastProblem } = await place.row(host)
    expect([failures, lastProblem]).toEqual([1, 'away'])
    expect(dueAt - place.now()).toBeWithin(4 * 60_000, 5 * 60_000 + 1)
    // Nor does a wrong record between two orders shorten the pause after the second one.
    place.later(5 * 60_000)
    world.dns.names.set(host, { a: ['192.0.2.7'] })
    await place.order()
    expect(await place.row(host)).toMatchObject({ failures: 1, dnsFailures: 1 })
    world.dns.names.set(host, here)
    place.later(40_000)
    await place.order({ authorities: [away] })
    const again = await place.row(host)
    expect(again).toMatchObject({ failures: 2, dnsFailures: 0, lastProblem: 'away' })
    expect(again.dueAt - place.now()).toBeWithin(8 * 60_000, 10 * 60_000 + 1)
    place.later(10 * 60_000)
    expect(await place.order()).toBe(1)
    expect(await place.row(host)).toMatchObject({ failures: 0, lastProblem: null })
    await shown(host)
  }, 60_000)

  test('what the authority refuses is kept in its words, and tried again less and less often', async () => {
    await using database = await memoryDatabase()
    const host = 'www.moving-shop.com'
    // It leads here when we look, and elsewhere when the authority does.
    world.dns.names.set(host, { a: ['127.0.0.1', '127.0.0.77'] })
    await using place = await openPlace(world, database)
    await place.certificates.want(host)
    await place.tls[Symbol.asyncDispose]()
    const pauses: number[] = []
    for (let round = 0; round < 2; round++) {
      await place.order()
      const { dueAt, failures, lastError, lastProblem } = await place.row(host)
      expect([failures, lastProblem]).toEqual([round + 1, 'connection'])
      expect(lastError).toMatch(/^connection: /)
      pauses.push(dueAt)
      place.later(dayMs)
    }
    expect((pauses[1] ?? 0) - (pauses[0] ?? 0)).toBeGreaterThan(dayMs + 60_000)
  }, 60_000)

  test('renewed at two thirds of its life, and shown from the next handshake on', async () => {
    await using database = await memoryDatabase()
    await using place = await openPlace(world, database)
    await place.certificates.want(application)
    await place.order()
    const { renewAt, validUntil } = await place.row(application)
    const { serial } = await shown(application)
    const left = Number(validUntil) - Number(renewAt)
    place.setClock(Number(renewAt) - 60_000)
    expect(await place.order()).toBe(0)
    place.later(2 * 60_000)
    expect(await place.order()).toBe(1)
    expect((await shown(application)).serial).not.toBe(serial)
    expect(left).toBeGreaterThan((Number(validUntil) - Date.now()) * 0.3)
  }, 60_000)

  test('a name that leads nowhere any more is not renewed, and shows its certificate until then', async () => {
    await using database = await memoryDatabase()
    const host = 'www.released-shop.com'
    world.dns.names.set(host, here)
    await using place = await openPlace(world, database, new Set([host]))
    await place.certificates.want(host)
    await place.order()
    place.served.know(place.served.empty())
    await place.review()
    expect((await place.row(host)).isWanted).toBe(0)
    place.later(20 * 365 * dayMs)
    const before = world.acme.orders()
    await place.order()
    expect((await place.row(host)).failures).toBe(0)
    expect(world.acme.orders() - before).toBeLessThanOrEqual(3)
    await shown(host)
  }, 60_000)

  test('of two processes one orders; what a process that died has taken is taken again', async () => {
    await using database = await memoryDatabase()
    await using place = await openPlace(world, database)
    await place.certificates.want(application)
    const before = world.acme.orders()
    const counts = await Promise.all([place.orderElsewhere(), place.orderElsewhere()])
    expect(counts.toSorted()).toEqual([0, 1])
    expect(world.acme.orders() - before).toBe(1)
    // Taken, and nothing came of it.
    await place.db
      .updateTable('certificates')
      .set({ chain: null, dueAt: Date.now() + 60_000 })
      .execute()
    expect(await place.order()).toBe(0)
    place.later(5 * 60_000)
    expect(await place.order()).toBe(1)
  }, 60_000)

  test('an authority that is away for a day leaves what there is, and is asked less and less often', async () => {
    await using database = await memoryDatabase()
    await using place = await openPlace(world, database)
    await place.certificates.want(application)
    await place.order()
    const { serial } = await shown(application)
    const begin = Number((await place.row(application)).renewAt)
    place.setClock(begin)
    let tries = 0
    while (place.now() < begin + dayMs) {
      expect(await place.order({ authorities: [away] })).toBe(1)
      tries++
      const { dueAt, failures, lastProblem } = await place.row(application)
      expect([failures, lastProblem]).toEqual([tries, 'away'])
      place.setClock(dueAt)
    }
    expect(tries).toBeWithin(8, 11)
    expect((await shown(application)).serial).toBe(serial)
    await place.order()
    expect(await place.row(application)).toMatchObject({ failures: 0, lastProblem: null })
    expect((await shown(application)).serial).not.toBe(serial)
  }, 60_000)

  test('a wildcard for the base domain, whose DNS delegates its challenges here: names below it need none', async () => {
    await using database = await memoryDatabase()
    const [host, wildcard] = [`blog.${baseDomain}`, `*.${baseDomain}`]
    await using place = await openPlace(world, database, new Set([host]), { ordersWildcard: true })
    world.dns.names.set(host, here)
    await place.review()
    await place.certificates.want(host)
    await place.order()
    expect((await shown(host)).names).toBe(`DNS:${host}`)
    // Its delegation is missing: the rest is ordered, and nobody is asked.
    const { lastError, lastProblem } = await place.row(wildcard)
    expect([lastProblem, lastError]).toEqual([
      'dns',
      `add for _acme-challenge.${baseDomain}: NS ${application}; port 53 of it has to be reachable by UDP and TCP`,
    ])
    await shown(application)
    world.dns.names.set(`_acme-challenge.${baseDomain}`, { delegatedTo: world.dnsPort })
    place.later(10 * 60_000)
    const before = world.acme.orders()
    expect(await place.order()).toBe(1)
    for (const each of [host, `sites.${baseDomain}`]) {
      expect((await shown(each)).names).toBe(`DNS:${wildcard}`)
    }
    expect((await shown(baseDomain)).names).toBe(`DNS:${baseDomain}`)
    await expect(shown(`a.${host}`)).rejects.toThrow()
    expect([world.acme.orders() - before, await place.order()]).toEqual([1, 0])
    const states = await place.states.of([host, `a.${host}`])
    expect([...states.values()]).toMatchObject([{ state: 'valid' }])
  }, 60_000)

  test('the service orders its own automatically, in its other thread: its addresses and a contact are all that is set', async () => {
    world.dns.names.set(`_acme-challenge.${baseDomain}`, { delegatedTo: world.dnsPort })
    const stop = new AbortController()
    const service: RunningService = await startServing(
      { port: await ownPort(), data: join(dir, 'data') },
      {
        LOG_LEVEL: 'error',
        BASE_URL: `https://${application}`,
        BASE_DOMAIN: baseDomain,
        CONTACT: 'admin@example.com',
        TLS_LISTEN: `127.0.0.1:${world.httpsPort}`,
        HTTP_LISTEN: `127.0.0.1:${world.httpPort}`,
        ACME_DIRECTORY: world.acme.url,
        ACME_DNS_LISTEN: `127.0.0.1:${world.dnsPort}`,
        ACME_CA: world.acme.certificateFile,
        DNS_SERVERS: world.dns.address,
        // Nothing of this is about the network.
        FIREHOSE_URL: 'ws://127.0.0.1:9/subscribe',
        PLC_URL: 'http://127.0.0.1:9',
      },
      stop.signal,
    )
    try {
      expect((await shown(application)).names).toBe(`DNS:${application}`)
      const status = await new Promise((resolve, reject) => {
        const to = { host: '127.0.0.1', port: world.httpsPort, ca: world.acme.root, agent: false }
        const headers = { host: application }
        httpsRequest({ ...to, servername: application, path: '/healthz', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
      await eventually(async () => {
        expect((await shown(`sites.${baseDomain}`)).names).toBe(`DNS:*.${baseDomain}`)
      })
    } finally {
      stop.abort()
      await service.stopped
    }
  }, 60_000)
}
