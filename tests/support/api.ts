import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Server } from 'bun'
import type { Hono } from 'hono'
import type { SignInPolicy } from '#admin/invitations.ts'
import { createApp } from '#api/app.ts'
import type { ApiEnv } from '#api/context.ts'
import { Registrations } from '#api/routes/domains/registrations.ts'
import { KeyRing } from '#api/session/key-ring.ts'
import { AdminSessions, BrowserSessions } from '#api/session/sessions.ts'
import { makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import { type OAuth, SessionEndedError } from '#atproto/oauth/oauth.ts'
import { SignInError } from '#atproto/oauth/sign-in-error.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { CertificateStates } from '#certificates/certificate-states.ts'
import { FileCertificates } from '#certificates/file-certificates.ts'
import { parseTrustedProxies } from '#http/client-address.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import { siteAtUrl } from '#main/site-at-url.ts'
import type { Log } from '#observe/log.ts'
import { Tally } from '#observe/tally.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { OpenDeploys } from '#publish/deploy/open-deploys.ts'
import { versionScope } from '#publish/new-version.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { Namespace } from '#site/namespace.ts'
import type { PageErrorLabel } from '#site/page-errors.ts'
import type { Did } from '#site/site-address.ts'
import { addAdmin } from '#store/accounts/admins.ts'
import type { Database, Db } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { noPause } from '#tests/support/servers/fake-repo.ts'
import { openWebhookSeal } from '#webhooks/webhook-secret.ts'
import { assertDeclared } from './declared.ts'
import { FakeOperations } from './operations.ts'

export const origin = 'http://127.0.0.1:3000'
export const baseDomain = 'sites.example.net'
export const metricsToken = 'scrapes-metrics-here'
export const mebibyte = 1024 * 1024

/** The application on an empty store; what would need a network is played by `network`. */
export interface TestApi {
  readonly app: Hono<ApiEnv>
  readonly blobs: BlobStore
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly network: FakeNetwork
  readonly logged: LoggedLine[]
  readonly operations: FakeOperations
  readonly pageErrors: Tally<PageErrorLabel>
  readonly spool: Spool
  /** Settable. */
  now: number
  /** So far is the clock ahead of `now`. */
  clockAheadMs: number
  isReady: boolean
  /** Throws when the answer is not one that the contract declares. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** The `Cookie` header of a browser in which this account has just signed in. */
  signedIn(did: Did): Promise<string>
  /** The same of the administrator ruth, once in a test. */
  adminSignedIn(): Promise<string>
  /** Job ids that have a folder in the spool. */
  spooled(): Promise<string[]>
}

export interface LoggedLine {
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** What the accounts' servers hold and how they answer. */
export class FakeNetwork {
  /** Accounts with an OAuth session here. */
  readonly sessions = new Set<Did>()
  /** Record keys of an account's sites. */
  readonly sites = new Map<Did, string[]>()
  /** The value of each record of a site. */
  manifest: unknown = {}
  /** Other records of each account, by `collection/rkey`. */
  readonly records = new Map<string, unknown>()
  readonly written: { rkey: string; record: unknown }[] = []
  /** What `begin` and `complete` throw instead of succeeding. */
  failure: Error | null = null
  isDown = false
  /** Of the sign-in that began last. */
  returnTo: string | null = null
  /** What a look at the account's sites finds. */
  sync: (did: Did) => Promise<AccountSync> = async () => ({
    ...{ status: 'active', synced: 0, errors: [] },
  })

  readonly oauth: OAuth = {
    begin: async (input, returnTo = null) => {
      if (this.failure !== null) throw this.failure
      this.returnTo = returnTo
      return { url: new URL(`https://pds.test/authorize?input=${input}`), nonce: 'nonce-1' }
    },
    complete: async (query, nonce, enter) => {
      if (this.failure !== null) throw this.failure
      if (nonce !== 'nonce-1') throw new SignInError('other-browser')
      const did = query.get('code') as Did
      const before = this.sessions.has(did) ? 'alive' : 'ended'
      this.sessions.add(did)
      return await enter(did, before, this.returnTo)
    },
    session: async (did) => {
      if (!this.sessions.has(did)) throw new SessionEndedError(did)
      const handle = (path: string, init: RequestInit = {}) => this.#answer(did, path, init)
      return { did, handle }
    },
    scopeOf: async () => new Set([versionScope]),
    confirm: async (did) => {
      if (!this.sessions.has(did)) throw new SessionEndedError(did)
    },
    has: async (did) => this.sessions.has(did),
    revoke: async (did, isUnused = async () => true) => {
      if (await isUnused()) this.sessions.delete(did)
    },
    sealAnew: async () => undefined,
    clientMetadata: async () => ({
      client_id: 'https://sitehost.test/client',
      redirect_uris: ['https://sitehost.test/callback'],
      scope: 'atproto',
      token_endpoint_auth_method: 'private_key_jwt',
    }),
    publicKeys: async () => ({ keys: [{ kid: 'key-1', kty: 'EC' }] }),
  }

  async #answer(did: Did, path: string, init: RequestInit): Promise<Response> {
    if (this.isDown) return Response.json({ error: 'InternalServerError' }, { status: 500 })
    if (path.startsWith('/xrpc/com.atproto.sync.getLatestCommit')) {
      return Response.json({ cid: someCid, rev: '3kaaaaaaaaaa2' })
    }
    const { searchParams } = new URL(path, 'https://pds.test')
    const collection = searchParams.get('collection')
    const listed = (rkey: string, value: unknown) => {
      return { uri: `at://${did}/${collection}/${rkey}`, cid: someCid, value }
    }
    if (path.startsWith('/xrpc/com.atproto.repo.getRecord')) {
      const rkey = searchParams.get('rkey') ?? ''
      const value = this.records.get(`${collection}/${rkey}`)
      if (value !== undefined) return Response.json(listed(rkey, value))
      return Response.json({ error: 'RecordNotFound' }, { status: 400 })
    }
    if (path.startsWith('/xrpc/com.atproto.repo.listRecords')) {
      const isOfSites = collection === 'place.sitehost.fs'
      const ofSites = (isOfSites ? (this.sites.get(did) ?? []) : []).map((rkey) =>
        listed(rkey, this.manifest),
      )
      const others = [...this.records].flatMap(([at, value]) => {
        const [of, rkey = ''] = at.split('/')
        return of === collection ? [listed(rkey, value)] : []
      })
      const all = [...ofSites, ...others]
      const [from, limit] = [searchParams.get('cursor') ?? 0, searchParams.get('limit') ?? 50]
      const end = Number(from) + Number(limit)
      const records = all.slice(Number(from), end)
      return Response.json({ records, ...(end < all.length && { cursor: String(end) }) })
    }
    const { writes } = (await new Response(init.body).json()) as {
      writes: { $type: string; rkey: string; value?: unknown }[]
    }
    const deleted = new Set(writes.flatMap(({ rkey, value }) => (value === undefined ? rkey : [])))
    this.sites.set(
      did,
      (this.sites.get(did) ?? []).filter((rkey) => !deleted.has(rkey)),
    )
    this.written.push(...writes.map(({ rkey, value }) => ({ rkey, record: value })))
    const results = writes.map(({ $type, rkey }) => ({
      $type: `${$type}Result`,
      uri: `at://${did}/place.sitehost.fs/${rkey}`,
      cid: 'cid-of-the-record',
    }))
    return Response.json({ results })
  }
}

export const someCid = 'bafkreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae'

const identities = {
  resolve: async (did: Did) => ({
    ...{ did, pds: 'https://pds.test' },
    signingMultikey: 'zKey',
  }),
  verifiedHandle: async () => 'alice.test',
} as unknown as Identities

const documentOf = (html: string) => makeWebAsset(html, { contentType: 'text/html' })

const webhookSeal = await openWebhookSeal(['w'.repeat(32)])

export const longScript = 'go();'.repeat(1000)

export const inlineScript = 'theme()'

export const webAssets: ReadonlyMap<string, WebAsset> = new Map([
  ['/', await documentOf('<h1>app</h1>')],
  ['/ de', await documentOf('<h1>App</h1>')],
  ['/editor', await documentOf('<h1>app</h1>')],
  [
    '/sites/:rkey',
    {
      ...(await documentOf('<h1>app</h1>')),
      draw: async ({ path, answers }) => {
        if (path.endsWith('undrawable')) throw new Error('not today')
        return `${path} ${answers}`
      },
    },
  ],
  [
    '/account',
    await makeWebAsset(`<script>${inlineScript}</script>`, {
      contentType: 'text/html',
      inlineScript,
    }),
  ],
  ['*', await documentOf('<h1>app</h1>')],
  ['/admin', await documentOf('<h1>area</h1>')],
  ['/admin/logs', await documentOf('<h1>area</h1>')],
  [
    '/assets/app-1a2b.js',
    await makeWebAsset(longScript, { contentType: 'text/javascript', isImmutable: true }),
  ],
])

interface TestApiOptions {
  readonly signIn: SignInPolicy
  readonly baseUrl: string
  readonly lookUp: LookUp
  /** For hosts that users name; they may then be private. */
  readonly fetch: SafeFetch | null
  readonly operationMsMax: number
  /** TLS=auto, without certificates in files. */
  readonly ordersCertificates: boolean
  /** Other networks whose sites are served. */
  readonly alsoServe: readonly Namespace[]
}

/** An application for each test of the file, on a store of its own. What it returns is for inside tests. */
export function testApi(options: Partial<TestApiOptions> = {}): () => TestApi {
  let dir: string
  // Undefined until a test runs: Bun (1.4.5) runs the hooks of a file whose tests are all skipped.
  let database: Database | undefined
  let api: TestApi
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-api-'))
  })
  beforeEach(async () => {
    await database?.[Symbol.asyncDispose]()
    database = await memoryDatabase()
    api = openApi(database.db, join(dir, crypto.randomUUID()), {
      ...{ baseUrl: origin, lookUp: nobodyLooksUp, operationMsMax: 10_000, signIn: 'open' },
      ...{ fetch: null, ordersCertificates: false, alsoServe: [] },
      ...options,
    })
  })
  afterAll(async () => {
    await database?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true, force: true })
  })
  return () => api
}

const nobodyAnswers: SafeFetch = () => Promise.reject(new Error('this test has no network'))
const nobodyLooksUp: LookUp = () => Promise.reject(new Error('this test has no DNS'))

function openApi(
  db: Db,
  spoolDir: string,
  { alsoServe, baseUrl, fetch, lookUp, operationMsMax, ordersCertificates, signIn }: TestApiOptions,
): TestApi {
  const logged: LoggedLine[] = []
  const network = new FakeNetwork()
  const spool = new Spool(spoolDir)
  const blobs = diskBlobStore({ dir: `${spoolDir}-blobs` })
  const wakeUps = new WakeUps()
  const keys = new KeyRing(['k'.repeat(32)])
  const now = () => api.now + api.clockAheadMs
  const elapsed = () => api.now
  const startedAt = Date.UTC(2030, 0, 1)
  const pageErrors = new Tally<PageErrorLabel>()
  const operations = new FakeOperations(startedAt, () => api.now)
  const log = recordingLog(logged)
  const at = () => {}
  const files = new FileCertificates([])
  const app = createApp({
    alsoServe,
    allowPrivateHosts: fetch !== null,
    fetchIssuer: fetch ?? nobodyAnswers,
    certificates: ordersCertificates
      ? new CertificateStates({ db, files, isOrdering: true, now })
      : null,
    ...{ at, db, log, wakeUps, keys, now, elapsed, identities, operationMsMax, webAssets },
    logPollMs: 5,
    pause: noPause,
    deploys: new OpenDeploys({ at, db, elapsed, log, now, spool }),
    operations,
    pageErrors,
    oauth: network.oauth,
    signInIdentities: identities,
    spool,
    limits: { fileBytesMax: mebibyte, siteBytesMax: 2 * mebibyte, accountBytesMax: 5 * mebibyte },
    ...{ origin: baseUrl, trustedProxies: parseTrustedProxies('127.0.0.1') ?? [] },
    reservedNames: new Set(['our-shop']),
    shares: { site: { bytesPerDayMax: 1000 }, account: { bytesPerDayMax: 4000 } },
    ...{ baseDomain, lookUp, subdomainsMax: 3, registrations: new Registrations({ db, wakeUps }) },
    labelUrl: (label) => `http://${label}.test/`,
    siteUrl: ({ name }) => `http://${name}.test/`,
    siteAt: (url) => siteAtUrl(url, { db, applicationHost: '127.0.0.1', baseDomain }),
    ...{ blobs, signIn },
    syncAccount: (did) => network.sync(did),
    webhookSeal,
    shutdown: { begun: new AbortController().signal, lastCall: new AbortController().signal },
    metrics: { token: metricsToken, text: async () => 'up 1\n' },
    unready: async () =>
      api.isReady ? [] : [{ problem: 'Something is away.', error: new Error('not now') }],
  })
  const secure = baseUrl.startsWith('https:')
  const sessions = new BrowserSessions({ db, keys, secure, now })
  const adminSessions = new AdminSessions({ db, keys, secure, now })
  const api: TestApi = {
    ...{
      app,
      blobs,
      db,
      wakeUps,
      network,
      logged,
      operations,
      pageErrors,
      spool,
      isReady: true,
      clockAheadMs: 0,
    },
    now: startedAt,
    async request(path, init) {
      const response = await app.request(path, init, { server: onLoopback })
      await assertDeclared(init?.method ?? 'GET', path.replace(/\?.*/, ''), response)
      return response
    },
    async signedIn(did) {
      network.sessions.add(did)
      return cookieHeader((await sessions.start(did)).cookies)
    },
    async adminSignedIn() {
      const admin = { id: 'id-of-ruth', name: 'ruth', passwordHash: 'none', createdAt: 1 }
      await addAdmin(db, admin)
      return cookieHeader([await adminSessions.start(admin.id)])
    },
    spooled: () => readdir(spoolDir).catch(() => []),
  }
  return api
}

/** Every request comes over a front on this machine. */
const onLoopback = {
  requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }),
  timeout: () => {},
} as unknown as Server<unknown>

/** What a browser sends back for these `Set-Cookie` lines. */
export function cookieHeader(setCookies: readonly string[]): string {
  return setCookies.map((line) => line.slice(0, line.indexOf(';'))).join('; ')
}

export function recordingLog(lines: LoggedLine[] = []): Log {
  const at =
    (level: string) =>
    (message: string, fields = {}) =>
      void lines.push({ level, message, fields })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
