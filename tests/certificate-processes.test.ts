import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPrivateKey, createPublicKey, sign, X509Certificate } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificateId } from '#certificates/acme/certificate-id.ts'
import { certificatePoints } from '#certificates/fail-points.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import {
  type AcmeWorld,
  application,
  baseDomain,
  here,
  openAcmeWorld,
  openPlace,
  secrets,
  shownBy,
} from '#tests/support/certificates/certificate-place.ts'
import type { OrderProcess } from '#tests/support/certificates/order-process.ts'
import { type OwnDatabase, postgresDatabase } from '#tests/support/database/databases.ts'
import { startAcmeProxy } from '#tests/support/servers/acme-proxy.ts'
import { pebble } from '#tests/support/servers/acme-server.ts'
import { loopbackCertificate } from '#tests/support/servers/loopback-certificate.ts'
import { available } from './support/require.ts'

// Processes of their own order, on one PostgreSQL; this one answers the challenges. Pebble is as bad as its settings make it: it refuses
// every second nonce, looks after pauses at random, and its connections break off.

const isHere = await available('processes that order at Pebble', async () => {
  if (pebble === null) throw new Error('pebble is not installed')
  await using own = await postgresDatabase()
  await using database = openDatabase(own.options)
  await database.db.selectNoFrom((row) => row.lit(1).as('one')).execute()
})

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

let dir: string
let world: AcmeWorld
let own: OwnDatabase
/** Connections of the authority to port 80 so far, and which of them break off. */
let looks = 0
let isBroken: (look: number) => boolean = () => false

/** Runs a process that orders what is due; resolves with how many it ordered; null: it was killed. */
async function orderBy(by: Partial<OrderProcess> = {}): Promise<number | null> {
  const told: OrderProcess = {
    applicationHost: application,
    authority: world.authority,
    database: own.options,
    dnsServer: world.dns.address,
    failPoint: null,
    laterMs: 0,
    secrets,
    ...by,
  }
  const program = join(import.meta.dir, 'support/certificates/order-process.ts')
  const child = Bun.spawn([process.execPath, program, JSON.stringify(told)], { stderr: 'inherit' })
  const printed = await new Response(child.stdout).text()
  await child.exited
  if (child.signalCode === 'SIGKILL') return null
  expect(child.exitCode).toBe(0)
  return Number(printed)
}

if (isHere) {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-processes-'))
    const breaks = () => isBroken(++looks)
    world = await openAcmeWorld(dir, { isBroken: breaks, noncesRefused: 50, pauses: true })
  }, 60_000)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  async function opened(names: readonly string[]) {
    own = await postgresDatabase()
    const database = openDatabase(own.options)
    await migrate(database)
    const place = await openPlace(world, database, new Set(names), { ordersWildcard: true })
    return {
      ...place,
      async [Symbol.asyncDispose]() {
        await place[Symbol.asyncDispose]()
        await database[Symbol.asyncDispose]()
        await own[Symbol.asyncDispose]()
      },
    }
  }

  test('an application, a wildcard and ten custom domains, by two processes: each is ordered once, and again only if that failed', async () => {
    const customs = Array.from({ length: 10 }, (_, n) => `www.shop-${n}.com`)
    for (const host of customs) world.dns.names.set(host, here)
    world.dns.names.set(`_acme-challenge.${baseDomain}`, { delegatedTo: world.dnsPort })
    await using place = await opened(customs)
    await place.review()
    const all = [application, baseDomain, `*.${baseDomain}`, ...customs]
    // Of the first three names that it looks at, one or more are not proven.
    isBroken = (look) => look === 4
    const before = world.acme.orders()
    let [ordered, failed] = [0, 0]
    for (let round = 0; round < 5; round++) {
      const laterMs = round * 90 * minuteMs
      const counts = await Promise.all([orderBy({ laterMs }), orderBy({ laterMs })])
      ordered += (counts[0] ?? 0) + (counts[1] ?? 0)
      const rows = await place.db.selectFrom('certificates').selectAll().execute()
      expect(rows.map(({ name }) => name).toSorted()).toEqual(all.toSorted())
      const missing = rows.filter(({ chain }) => chain === null)
      failed += missing.length
      if (missing.length === 0) break
    }
    expect(failed).toBeGreaterThan(0)
    expect([ordered, world.acme.orders() - before]).toEqual([
      all.length + failed,
      all.length + failed,
    ])
    await place.certificates.index.read(place.db)
    for (const host of [application, baseDomain, ...customs]) {
      expect((await shownBy(world, host)).names).toBe(`DNS:${host}`)
    }
    expect((await shownBy(world, `any.${baseDomain}`)).names).toBe(`DNS:*.${baseDomain}`)
  }, 90_000)

  test('a process that is killed, in each phase of an order: the next one orders the name after the lease', async () => {
    isBroken = () => false
    const hosts = certificatePoints.map((point) => `${point}.alice-shop.com`)
    for (const host of hosts) world.dns.names.set(host, here)
    await using place = await opened(hosts)
    // Each takes the names of those that died before it, too, if their leases are over.
    for (const [n, failPoint] of certificatePoints.entries()) {
      await place.certificates.want(hosts[n] ?? '')
      expect(await orderBy({ failPoint })).toBeNull()
      expect((await place.row(hosts[n] ?? '')).chain).toBeNull()
    }
    expect(await orderBy()).toBe(0)
    expect(await orderBy({ laterMs: 3 * minuteMs })).toBe(hosts.length)
    await place.certificates.index.read(place.db)
    for (const host of hosts) await shownBy(world, host)
  }, 90_000)

  test('a certificate that the authority has revoked is replaced as soon as it says so', async () => {
    isBroken = () => false
    const host = 'www.revoked-shop.com'
    world.dns.names.set(host, here)
    await using place = await opened([host])
    // Pebble has no renewal information: the proxy says that what Pebble has revoked is to be renewed at once.
    await using proxy = startAcmeProxy(world.acme.url)
    proxy.directory = { renewalInfo: `${proxy.origin}/renewal-info` }
    const authorities = [{ ...world.authority, directory: proxy.url }]
    const certificate = async () => {
      const { chain } = await place.row(host)
      return new X509Certificate(chain ?? '')
    }
    await place.certificates.want(host)
    await place.order({ authorities })
    const first = await certificate()
    let status = await world.acme.statusOf(first.serialNumber)
    proxy.answer = ({ path }) => {
      if (path !== `/renewal-info/${certificateId(firstChain ?? '')}`) return null
      const start = status === 'Revoked' ? 0 : Date.now() + 30 * dayMs
      const [from, to] = [start, start + dayMs].map((time) => new Date(time).toISOString())
      return Response.json({ suggestedWindow: { start: from, end: to } })
    }
    const { chain: firstChain, sealedKey } = await place.row(host)
    expect([
      status,
      await place.askRenewals({ authorities }),
      await place.order({ authorities }),
    ]).toEqual(['Valid', 1, 0])
    const { key } = (await place.certificates.read(host)) ?? { key: '' }
    expect(sealedKey).not.toContain(key.split('\n')[1])
    await revoke(first, key)
    status = await world.acme.statusOf(first.serialNumber)
    place.later(dayMs)
    expect([
      status,
      await place.askRenewals({ authorities }),
      await place.order({ authorities }),
    ]).toEqual(['Revoked', 1, 1])
    const second = await certificate()
    expect(await world.acme.statusOf(second.serialNumber)).toBe('Valid')
    expect((await shownBy(world, host)).serial).toBe(second.serialNumber)
  }, 60_000)
}

/** RFC 8555 §7.6, signed with the certificate's own key, as by whoever has stolen it. */
async function revoke(certificate: X509Certificate, key: string): Promise<void> {
  const tls = { ca: loopbackCertificate }
  const directory = await (await fetch(world.acme.url, { tls })).json()
  const { newNonce, revokeCert: url } = directory as Record<string, string>
  const { crv, kty, x, y } = createPublicKey(key).export({ format: 'jwk' })
  for (let tries = 0; tries < 20; tries++) {
    const nonce = (await fetch(newNonce ?? '', { method: 'HEAD', tls })).headers.get('replay-nonce')
    const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const header = coded({ alg: 'ES256', jwk: { crv, kty, x, y }, nonce, url })
    const payload = coded({ certificate: certificate.raw.toString('base64url') })
    const data = Buffer.from(`${header}.${payload}`)
    const signature = sign('sha256', data, {
      key: createPrivateKey(key),
      dsaEncoding: 'ieee-p1363',
    })
    const body = JSON.stringify({
      protected: header,
      payload,
      signature: signature.toString('base64url'),
    })
    const headers = { 'content-type': 'application/jose+json' }
    const answer = await fetch(url ?? '', { method: 'POST', headers, body, tls })
    if (answer.ok) return
    if (!(await answer.text()).includes('badNonce')) break
  }
  throw new Error('not revoked')
}
