import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { orderDue } from '#certificates/keep-certificates.ts'
import { openKeySeal } from '#certificates/sealed-keys.ts'
import { ServedNames } from '#edge/names/served-names.ts'
import { type RunningService, startServing } from '#main/commands/serve.ts'
import { serveTls } from '#main/process/serve-tls.ts'
import { openFileCertificates, openOrderedCertificates } from '#main/service/open-certificates.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { type AcmeServer, pebble, startAcmeServer } from '#tests/support/servers/acme-server.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { eventually } from './support/eventually.ts'
import { available } from './support/require.ts'

// A real certificate authority that really looks and refuses every third nonce, and a real name server.

const isHere = await available('certificates by Pebble', async () => {
  if (pebble === null) throw new Error('pebble is not installed')
})

const application = 'sitehost.home.arpa'
const baseDomain = 'sites.home.arpa'
const here = { a: ['127.0.0.1'] }
const dayMs = 24 * 60 * 60 * 1000
const signal = new AbortController().signal

let dir: string
let dns: DnsServer
let acme: AcmeServer
const ports = { httpPort: 0, httpsPort: 0 }

/** The name of the certificate that is shown for a host, and when it ends; rejects when the handshake fails. */
function shown(host: string, port = ports.httpsPort): Promise<{ names: string; serial: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ names: string; serial: string }>()
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca: acme.root }, () => {
    const { serialNumber, subjectaltname = '' } = socket.getPeerCertificate()
    resolve({ names: subjectaltname, serial: serialNumber })
    socket.destroy()
  })
  socket.on('error', reject)
  return promise
}

if (isHere) {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-automatic-'))
    ports.httpPort = Number(await ownPort())
    ports.httpsPort = Number(await ownPort())
    dns = await startDnsServer({ [application]: here, [baseDomain]: here })
    acme = await startAcmeServer({ dir, dnsServer: dns.address, ...ports, refusesNonces: true })
  }, 60_000)
  afterAll(async () => {
    await acme[Symbol.asyncDispose]()
    await dns[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  /** What orders and what shows certificates, on one database, with a clock of its own. */
  async function openPlace(database: Database, names: Set<string>) {
    const opened = new AsyncDisposableStack()
    const { db } = database
    const wakeUps = new WakeUps()
    const secrets = ['x'.repeat(32)] as const
    const events: string[] = []
    const say = (message: string, fields?: object) =>
      void events.push(`${message} ${JSON.stringify(fields)}`)
    const log = { debug: say, info: say, warn: say, error: say }
    let clock = Date.now()
    const now = () => clock
    const served = new ServedNames()
    served.know(names)
    const hosts = { applicationHost: application, baseDomain }
    const files = await openFileCertificates([])
    const certificates = await openOrderedCertificates(files, {
      ...{ db, wakeUps, log, hosts, secrets, now, signal, names: served },
    })
    const server = parseDnsServerAddress(dns.address)
    if (server === null) throw new Error(dns.address)
    const keep = {
      ...{ db, wakeUps, log, now, signal, applicationHost: application },
      lookUp: createLookUp({ servers: [server], signal }),
      seal: await openKeySeal(secrets),
      authority: {
        directory: acme.url,
        ca: [await Bun.file(acme.certificateFile).text()],
        contact: ['mailto:admin@example.com'],
      },
    }
    const tls = opened.use(
      await serveTls({
        answer: () => new Response('hello'),
        elapsed: () => performance.now(),
        log,
        onHandshake: () => undefined,
        files,
        ordered: certificates,
        signal,
        tls: {
          listen: { host: '127.0.0.1', port: ports.httpsPort },
          httpListen: { host: '127.0.0.1', port: ports.httpPort },
          hstsSeconds: 0,
        },
        trustedProxies: [],
      }),
    )
    return {
      certificates,
      db,
      events,
      served,
      tls,
      async order(directory = acme.url) {
        const authority = { ...keep.authority, directory }
        const count = await orderDue({ ...keep, authority })
        await certificates.index.read(db)
        return count
      },
      /** As a process that opened the same database. */
      orderElsewhere: () => orderDue(keep),
      later: (ms: number) => {
        clock += ms
      },
      setClock: (time: number) => {
        clock = time
      },
      review: () => certificates.review(),
      row: (name: string) =>
        db
          .selectFrom('certificates')
          .selectAll()
          .where('name', '=', name)
          .executeTakeFirstOrThrow(),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  }

  test('ordered before anybody visits: the application, the base domain, custom domains; not names below it', async () => {
    await using database = await memoryDatabase()
    const custom = 'www.alice-shop.com'
    for (const host of [custom, `sites.${baseDomain}`]) dns.names.set(host, here)
    await using place = await openPlace(database, new Set([custom, `blog.${baseDomain}`]))
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
    dns.names.set(host, here)
    await using place = await openPlace(database, new Set([host]))
    const visits = [shown(host), shown(host), shown(host)]
    await eventually(async () => expect((await place.row(host)).isWanted).toBe(1))
    await expect(shown(`nobody.${baseDomain}`)).rejects.toThrow()
    await expect(shown('www.any.com')).rejects.toThrow()
    const before = acme.orders()
    await place.order()
    const serials = new Set((await Promise.all(visits)).map(({ serial }) => serial))
    expect([serials.size, acme.orders() - before]).toEqual([1, 1])
  }, 60_000)

  test('a name that does not lead here is not ordered for, and is tried again later', async () => {
    await using database = await memoryDatabase()
    const host = 'www.elsewhere-shop.com'
    dns.names.set(host, { a: ['192.0.2.7'] })
    await using place = await openPlace(database, new Set())
    await place.certificates.want(host)
    const before = acme.orders()
    await place.order()
    expect(await place.row(host)).toMatchObject({
      failures: 1,
      lastProblem: 'elsewhere',
    })
    expect(await place.order()).toBe(0)
    expect(acme.orders()).toBe(before)
    dns.names.set(host, here)
    place.later(10 * 60_000)
    expect(await place.order()).toBe(1)
    expect(await place.row(host)).toMatchObject({ failures: 0, lastProblem: null })
    await shown(host)
  }, 60_000)

  test('what the authority refuses is kept in its words, and tried again less and less often', async () => {
    await using database = await memoryDatabase()
    const host = 'www.moving-shop.com'
    // It leads here when we look, and elsewhere when the authority does.
    dns.names.set(host, { a: ['127.0.0.1', '127.0.0.77'] })
    await using place = await openPlace(database, new Set())
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
    await using place = await openPlace(database, new Set())
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
    dns.names.set(host, here)
    await using place = await openPlace(database, new Set([host]))
    await place.certificates.want(host)
    await place.order()
    place.served.know(new Set())
    await place.review()
    expect((await place.row(host)).isWanted).toBe(0)
    place.later(20 * 365 * dayMs)
    const before = acme.orders()
    await place.order()
    expect((await place.row(host)).failures).toBe(0)
    expect(acme.orders() - before).toBeLessThanOrEqual(3)
    await shown(host)
  }, 60_000)

  test('of two processes one orders; what a process that died has taken is taken again', async () => {
    await using database = await memoryDatabase()
    await using place = await openPlace(database, new Set())
    await place.certificates.want(application)
    const before = acme.orders()
    const counts = await Promise.all([place.orderElsewhere(), place.orderElsewhere()])
    expect(counts.toSorted()).toEqual([0, 1])
    expect(acme.orders() - before).toBe(1)
    // Taken, and nothing came of it.
    await place.db
      .updateTable('certificates')
      .set({ chain: null, dueAt: Date.now() + 60_000 })
      .execute()
    expect(await place.order()).toBe(0)
    place.later(5 * 60_000)
    expect(await place.order()).toBe(1)
  }, 60_000)

  test('an authority that is away leaves what there is', async () => {
    await using database = await memoryDatabase()
    await using place = await openPlace(database, new Set())
    await place.certificates.want(application)
    await place.order()
    const { renewAt } = await place.row(application)
    place.setClock(Number(renewAt))
    expect(await place.order('https://127.0.0.1:9/dir')).toBe(1)
    expect(await place.row(application)).toMatchObject({ failures: 1, lastProblem: 'away' })
    await shown(application)
    place.later(dayMs)
    await place.order()
    expect(await place.row(application)).toMatchObject({ failures: 0, lastProblem: null })
  }, 60_000)

  test('the service orders its own by itself, in its other thread', async () => {
    const stop = new AbortController()
    const service: RunningService = await startServing(
      { port: await ownPort(), data: join(dir, 'data') },
      {
        LOG_LEVEL: 'error',
        BASE_URL: `https://${application}`,
        BASE_DOMAIN: baseDomain,
        CONTACT: 'admin@example.com',
        TLS: 'auto',
        TLS_LISTEN: `127.0.0.1:${ports.httpsPort}`,
        HTTP_LISTEN: `127.0.0.1:${ports.httpPort}`,
        ACME_DIRECTORY: acme.url,
        ACME_CA: acme.certificateFile,
        DNS_SERVERS: dns.address,
        // Nothing of this is about the network.
        FIREHOSE_URL: 'ws://127.0.0.1:9/subscribe',
        PLC_URL: 'http://127.0.0.1:9',
      },
      stop.signal,
    )
    try {
      expect((await shown(application)).names).toBe(`DNS:${application}`)
      const status = await new Promise((resolve, reject) => {
        const to = { host: '127.0.0.1', port: ports.httpsPort, ca: acme.root, agent: false }
        const headers = { host: application }
        httpsRequest({ ...to, servername: application, path: '/healthz', headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
    } finally {
      stop.abort()
      await service.stopped
    }
  }, 60_000)
}
