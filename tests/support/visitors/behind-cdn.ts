import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { PdsAccount } from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { startNginxCache } from '#tests/support/servers/nginx.ts'
import { startVarnish } from '#tests/support/servers/varnish.ts'
import { startWorld, type World } from '#tests/support/world.ts'
import { pageUrl, writeSite } from './plain-sites.ts'

/** A service with the shipped configurations of Varnish and nginx in front of it. */
export interface CdnWorld extends AsyncDisposable {
  readonly world: World
  /** Origins, by what answers there. */
  readonly caches: Readonly<Record<'varnish' | 'nginx', string>>
}

const token = 'a-token-of-this-test'

export async function startCdnWorld(): Promise<CdnWorld> {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-cdn-'))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const [varnishPort, nginxPort] = [await ownPort(), await ownPort()]
  const caches = {
    varnish: `http://127.0.0.1:${varnishPort}`,
    nginx: `http://127.0.0.1:${nginxPort}`,
  }
  const environment = {
    CDN_PURGE_URL: `${caches.varnish}/.sitehost/purge`,
    CDN_PURGE_KIND: 'keys',
    CDN_PURGE_TOKEN: token,
    CDN_PAGE_SECONDS: '3600',
  }
  const world = opened.use(await startWorld({ environment }))
  const { hostname: applicationHost, port: backendPort } = new URL(world.app)
  const shared = { applicationHost, backendPort, baseDomain: 'localhost', dir, token }
  opened.use(await startVarnish({ ...shared, port: varnishPort }))
  opened.use(await startNginxCache({ ...shared, port: nginxPort }))
  const open = opened.move()
  return { world, caches, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

/** What a visitor gets, and whether a cache had it. */
export interface Visit {
  readonly status: number
  readonly body: string
  readonly headers: Headers
  readonly isHit: boolean
}

/** Follows no redirect. */
export async function visitBy(
  url: URL,
  cache: string | null,
  headers: Record<string, string> = {},
): Promise<Visit> {
  const to = new URL(url)
  if (cache !== null) to.port = new URL(cache).port
  const answer = await fetch(to, { headers, redirect: 'manual' })
  const body = await answer.text()
  const isHit = /^hit$/i.test(answer.headers.get('x-cache') ?? '')
  return { status: answer.status, body, headers: answer.headers, isHit }
}

/** Their text says of which version they are. */
const filesOf = (version: number): Record<string, string> =>
  Object.fromEntries(
    ['index.html', 'about.html', 'page.html'].map((name) => [name, `version ${version}`]),
  )

interface ScriptOptions {
  readonly cdn: CdnWorld
  readonly account: PdsAccount
  readonly site: string
  readonly publishes: number
  /** The first version; it has to be over those before. */
  readonly from?: number
  /** At each cache. */
  readonly visitors: number
  /** Of each of them, between two visits. */
  readonly pauseMs: number
}

/** What came of it at one cache. */
interface ScriptEnd {
  visits: number
  hits: number
  /** Answers of an older version, asked for more than a second after a newer one was visible. */
  readonly stale: string[]
  /** Of each version, how long it had been visible when an older one was asked for and answered the last time. */
  readonly staleForMs: Map<number, number>
}

export const staleMsMax = 1_000
const patienceMs = 90_000

/** Publishes one version after the other while visitors load its pages through each cache. */
export async function publishBehindCdn(
  options: ScriptOptions,
): Promise<Readonly<Record<string, ScriptEnd>>> {
  const { account, cdn, from = 1, publishes, site, visitors } = options
  const script = new Script(pageUrl(cdn.world.app, account.did, site))
  const places = Object.entries(cdn.caches)
  const ends: Record<string, ScriptEnd> = {}
  const running: Promise<void>[] = []
  try {
    for (let version = from; version < from + publishes; version++) {
      // The account server of a busy machine fails now and then.
      await eventually(() => writeSite(account, site, filesOf(version)))
      await script.untilVisible(version)
      const fresh = places.map(async ([name, cache]) => {
        ends[name] ??= { visits: 0, hits: 0, stale: [], staleForMs: new Map() }
        await script.untilShown(version, cache, ends[name])
      })
      await Promise.all(fresh)
      if (running.length > 0) continue
      for (const [name, cache] of places) {
        const end = ends[name]
        for (let n = 0; n < visitors && end; n++)
          running.push(script.visit(cache, end, options.pauseMs))
      }
    }
  } finally {
    script.isOver = true
    await Promise.all(running)
  }
  return ends
}

const scriptPaths = ['', 'about.html', '', 'page.html']

class Script {
  isOver = false
  /** When the service showed which version first. */
  readonly shownAt = new Map<number, number>()
  readonly #home: URL

  constructor(home: URL) {
    this.#home = home
  }

  /** Resolves when the service shows the version. */
  async untilVisible(version: number): Promise<void> {
    await this.#until(version, () => this.#read('', null))
    this.shownAt.set(version, performance.now())
  }

  /** Resolves when the cache shows the version. */
  async untilShown(version: number, cache: string, end: ScriptEnd): Promise<void> {
    end.staleForMs.set(version, 0)
    await this.#until(version, () => this.#look('', cache, end))
  }

  /** Loads pages until it is over. */
  async visit(cache: string, end: ScriptEnd, pauseMs: number): Promise<void> {
    for (let n = 0; !this.isOver; n++) {
      const path = scriptPaths[n % scriptPaths.length] ?? ''
      const { isHit } = await this.#look(path, cache, end)
      end.visits++
      if (isHit) end.hits++
      await setTimeout(pauseMs)
    }
  }

  /** Without pauses: they would count for the service as time in which nothing is new yet. */
  async #until(version: number, read: () => Promise<{ version: number }>): Promise<void> {
    const until = performance.now() + patienceMs
    for (;;) {
      const shown = await read()
      if (shown.version >= version) return
      if (performance.now() > until) throw new Error(`${shown.version}, not ${version}`)
    }
  }

  /** Counts what is too old by when it was asked for: an answer may take long on its way. */
  async #look(path: string, cache: string, end: ScriptEnd) {
    const askedAt = performance.now()
    const { isHit, version } = await this.#read(path, cache)
    const newer = [...this.shownAt].filter(([shown]) => shown > version)
    for (const [shown, at] of newer) {
      end.staleForMs.set(shown, Math.max(askedAt - at, end.staleForMs.get(shown) ?? 0))
    }
    const [first] = newer
    if (first !== undefined && askedAt - first[1] > staleMsMax) {
      end.stale.push(`/${path}: ${version}, not ${first[0]}`)
    }
    return { isHit, version }
  }

  /** 0: it is no page. */
  async #read(path: string, cache: string | null): Promise<{ isHit: boolean; version: number }> {
    const { body, isHit, status } = await visitBy(new URL(path, this.#home), cache)
    const version = status === 200 ? Number(/^version (\d+)$/.exec(body)?.[1] ?? 0) : 0
    return { isHit, version }
  }
}
