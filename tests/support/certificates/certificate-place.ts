import { connect } from 'node:tls'
import { askRenewals } from '#certificates/ask-renewals.ts'
import type { Authority } from '#certificates/authority.ts'
import { CertificateStates } from '#certificates/certificate-states.ts'
import type { CertificatePoint } from '#certificates/fail-points.ts'
import { keepCertificates, orderDue } from '#certificates/keep-certificates.ts'
import { openKeySeal } from '#certificates/sealed-keys.ts'
import { ServedNames } from '#edge/names/served-names.ts'
import { SerializedAnswers } from '#edge/tls/serialized-answers.ts'
import { serveTls } from '#main/process/serve-tls.ts'
import {
  type OrderedCertificates,
  openFileCertificates,
  openOrderedCertificates,
} from '#main/service/open-certificates.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type AcmeServer,
  type AcmeServerOptions,
  startAcmeServer,
} from '#tests/support/servers/acme-server.ts'
import { type DnsServer, startDnsServer } from '#tests/support/servers/dns-server.ts'
import { tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { knownOf } from './known-names.ts'

export const application = 'sitehost.home.arpa'
export const baseDomain = 'sites.home.arpa'
/** Where names lead that lead here. */
export const here = { a: ['127.0.0.1'] }

/** A real certificate authority that really looks and refuses nonces, and a real name server. */
export interface AcmeWorld extends AsyncDisposable {
  readonly acme: AcmeServer
  readonly dns: DnsServer
  readonly httpPort: number
  readonly httpsPort: number
  readonly dnsPort: number
  /** As the settings have it. */
  readonly authority: Authority
}

interface WorldOptions extends Pick<AcmeServerOptions, 'noncesRefused' | 'pauses'> {
  /** Whether the authority's next connection to port 80 breaks off. */
  readonly isBroken?: () => boolean
}

export async function openAcmeWorld(
  dir: string,
  { isBroken, noncesRefused = 33, pauses = false }: WorldOptions = {},
): Promise<AcmeWorld> {
  await using opened = new AsyncDisposableStack()
  const httpPort = Number(await ownPort())
  const httpsPort = Number(await ownPort())
  const dnsPort = Number(await ownPort())
  const dns = opened.use(await startDnsServer({ [application]: here, [baseDomain]: here }))
  const proxy =
    isBroken && opened.use(tcpProxy(new URL(`http://127.0.0.1:${httpPort}`), { isBroken }))
  const lookedAt = proxy ? Number(new URL(proxy.url).port) : httpPort
  const looks = { dnsServer: dns.address, httpPort: lookedAt, httpsPort }
  const acme = opened.use(await startAcmeServer({ dir, ...looks, noncesRefused, pauses }))
  const authority = {
    directory: acme.url,
    ca: [await Bun.file(acme.certificateFile).text()],
    contact: ['mailto:admin@example.com'],
    externalAccount: null,
    profile: null,
  }
  const open = opened.move()
  return {
    acme,
    authority,
    dns,
    dnsPort,
    httpPort,
    httpsPort,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** What the certificate says that is shown for a host; rejects when the handshake fails. */
export function shownBy(
  world: AcmeWorld,
  host: string,
): Promise<{ names: string; serial: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ names: string; serial: string }>()
  const to = { host: '127.0.0.1', port: world.httpsPort, servername: host, ca: world.acme.root }
  const socket = connect(to, () => {
    const { serialNumber, subjectaltname = '' } = socket.getPeerCertificate()
    resolve({ names: subjectaltname, serial: serialNumber })
    socket.destroy()
  })
  socket.on('error', reject)
  return promise
}

interface OrderedBy {
  /** In place of the world's own. */
  readonly authorities?: readonly Authority[]
  readonly at?: (point: CertificatePoint) => unknown
  readonly signal?: AbortSignal
}

export const secrets = ['x'.repeat(32)] as const

/** What orders and what shows certificates, on one database, with a clock of its own. */
export async function openPlace(
  world: AcmeWorld,
  { db }: Database,
  names = new Set<string>(),
  { ordersWildcard = false } = {},
) {
  const { signal } = new AbortController()
  const { events, log } = eventLog()
  const clock = ownClock()
  const shared = { db, log, now: clock.now, signal, wakeUps: new WakeUps() }
  const served = new ServedNames({ baseDomain })
  served.know(knownOf(served, names))
  const files = await openFileCertificates([])
  const certificates = await openOrderedCertificates(files, {
    ...shared,
    hosts: { applicationHost: application, baseDomain },
    secrets,
    names: served,
    ordersWildcard,
  })
  const orders = await ordersAt(world, shared, certificates.index)
  const tls = await openTls(world, { files, log, ordered: certificates, ordersWildcard, signal })
  return {
    ...clock,
    ...orders,
    certificates,
    db,
    events,
    served,
    tls,
    review: () => certificates.review(),
    states: new CertificateStates({ db, files, isOrdering: true, now: clock.now }),
    row: (name: string) =>
      db.selectFrom('certificates').selectAll().where('name', '=', name).executeTakeFirstOrThrow(),
    [Symbol.asyncDispose]: () => tls[Symbol.asyncDispose](),
  }
}

function eventLog() {
  const events: string[] = []
  const say = (message: string, fields?: object) =>
    void events.push(`${message} ${JSON.stringify(fields)}`)
  return { events, log: { debug: say, info: say, warn: say, error: say } }
}

function ownClock() {
  let clock = Date.now()
  return {
    now: () => clock,
    later: (ms: number) => {
      clock += ms
    },
    setClock: (time: number) => {
      clock = time
    },
  }
}

type Shared = Pick<KeepContext, 'db' | 'log' | 'now' | 'signal' | 'wakeUps'>
type KeepContext = Parameters<typeof keepCertificates>[0]

/** Orders at the world's authority. */
async function ordersAt(world: AcmeWorld, shared: Shared, index: OrderedCertificates['index']) {
  const server = parseDnsServerAddress(world.dns.address)
  if (server === null) throw new Error(world.dns.address)
  const keep = {
    ...shared,
    applicationHost: application,
    at: () => undefined,
    authorities: [world.authority],
    lookUp: createLookUp({ servers: [server], signal: shared.signal }),
    seal: await openKeySeal(secrets),
  }
  return {
    async order(by: OrderedBy = {}) {
      const count = await orderDue({ ...keep, ...by })
      await index.read(shared.db)
      return count
    },
    /** As a process that opened the same database. */
    orderElsewhere: (by: OrderedBy = {}) => orderDue({ ...keep, ...by }),
    /** Until the signal. */
    keep: (by: OrderedBy) => keepCertificates({ ...keep, ...by }),
    askRenewals: (by: OrderedBy = {}) => askRenewals({ ...keep, ...by }),
  }
}

interface Shown
  extends Pick<Parameters<typeof serveTls>[0], 'files' | 'log' | 'ordered' | 'signal'> {
  readonly ordersWildcard: boolean
}

const openTls = (
  { dnsPort, httpPort, httpsPort }: AcmeWorld,
  { ordersWildcard, ...shown }: Shown,
) =>
  serveTls({
    ...shown,
    answer: () => new Response('hello'),
    applicationHost: '',
    serialized: new SerializedAnswers({ hstsSeconds: 0, now: Date.now }),
    elapsed: () => performance.now(),
    onHandshake: () => undefined,
    tls: {
      listen: { host: '127.0.0.1', port: httpsPort },
      httpListen: { host: '127.0.0.1', port: httpPort },
      hstsSeconds: 0,
      dnsListen: ordersWildcard ? { host: '127.0.0.1', port: dnsPort } : null,
    },
    trustedProxies: [],
  })
