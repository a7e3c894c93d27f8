import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { LruMap } from '#concurrency/lru-map.ts'
import { limitedKeysMax, RateLimiter } from '#concurrency/rate-limiter.ts'
import type { Allowance } from '#concurrency/token-bucket.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import type { Change } from '#store/database/changes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import { listMappedHosts, mappedHostsAmong } from '#store/names/hosts.ts'
import { listServedLabels, servedLabelsAmong } from '#store/sites/sites.ts'
import { VersionNameIndex } from './version-name-index.ts'
import {
  allVersionNames,
  sitesConcerned,
  type VersionName,
  versionNamesOf,
} from './version-names.ts'

const pageSize = 1000

/**
 * New subdomains of one account that get a certificate. A certificate authority limits the certificates of all names
 * below one domain, Let's Encrypt to 50 a week: no account may use them up.
 */
export const newNamesAllowance: Allowance = { count: 10, windowMs: 7 * 24 * 60 * 60 * 1000 }

/**
 * New custom domains of one account that get a certificate. A certificate authority limits the orders of its client,
 * Let's Encrypt to 300 in three hours: no account may use them up.
 */
export const newDomainsAllowance: Allowance = { count: 20, windowMs: 24 * 60 * 60 * 1000 }

/**
 * Every name that leads to a site, in memory: mapped hosts, labels (`s--…`) of served sites, and the names of versions and
 * previews. All of them, so that made-up names, which have no end, cost no query. Some 100 bytes each. Names that were there at the start have had
 * time to get a certificate: only later ones count as new.
 */
export class ServedNames {
  /** A label has no dot, a host has one. Null until they were read. */
  #names: Set<string> | null = null
  /** Those among them that lead to versions and previews. */
  readonly #ofVersions = new VersionNameIndex()
  /** New names that were not permitted yet, with their owners. */
  readonly #new = new Map<string, Did>()
  /** Removed names that were not new any more: they may come back. */
  readonly #gone = new LruMap<string, true>(limitedKeysMax)
  readonly #allowed: Readonly<Record<'below-base' | 'custom', RateLimiter>>

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#allowed = {
      'below-base': new RateLimiter(newNamesAllowance, { now }),
      custom: new RateLimiter(newDomainsAllowance, { now }),
    }
  }

  get size(): number {
    return this.#names?.size ?? 0
  }

  /** Null: names not read yet. `name` is a label, a canonical host, or what `previewName` makes. */
  has(name: string): boolean | null {
    return this.#names?.has(name) ?? null
  }

  /** The hosts among them, without the labels; none before they were read. */
  *hosts(): Iterable<string> {
    for (const name of this.#names ?? []) if (name.includes('.')) yield name
  }

  /** Whether the name may get a certificate. Once permitted, it stays so: renewals do not count. Null as for `has`. */
  permits(name: string, kind: 'below-base' | 'custom'): boolean | null {
    const owner = this.#new.get(name)
    if (owner === undefined || !this.has(name)) return this.has(name)
    if (this.#allowed[kind].take(owner) > 0) return false
    this.#new.delete(name)
    return true
  }

  /** Replaces all known names. */
  know(names: Set<string>, ofVersions: Iterable<VersionName> = []): void {
    this.#names = names
    this.#ofVersions.clear()
    for (const version of ofVersions) {
      names.add(version.name)
      this.#ofVersions.add(version)
    }
  }

  /**
   * Updates whether these names lead to a site. `served`: the ones that do, with their owners.
   */
  learn(
    names: Iterable<string>,
    served: ReadonlyMap<string, Did>,
    { sites, ofVersions }: ReadVersions = noVersions,
  ): void {
    const changed = new Set(names)
    const due = new Set(changed)
    for (const at of changed.union(sites)) for (const name of this.#ofVersions.at(at)) due.add(name)
    const owners = new Map(served)
    for (const version of ofVersions) {
      due.add(version.name)
      owners.set(version.name, version.owner)
      this.#ofVersions.add(version)
    }
    for (const name of due) {
      const owner = owners.get(name)
      if (owner === undefined) this.#forget(name)
      else this.#add(name, owner)
    }
  }

  #add(name: string, owner: Did): void {
    if (this.has(name) === false && !this.#gone.get(name)) this.#new.set(name, owner)
    this.#names?.add(name)
  }

  #forget(name: string): void {
    const wasNew = this.#new.delete(name)
    this.#ofVersions.delete(name)
    if (this.#names?.delete(name) && !wasNew) this.#gone.set(name, true)
  }
}

/** The names of all versions and previews of the sites with these labels. */
interface ReadVersions {
  readonly sites: ReadonlySet<string>
  readonly ofVersions: readonly VersionName[]
}

const noVersions: ReadVersions = { sites: new Set(), ofVersions: [] }

interface NamesContext {
  readonly db: Db
  readonly log: Log
  readonly names: ServedNames
  readonly signal: AbortSignal
}

/** Above this many changed names, all names are read again. */
const dueMax = 10_000
const readEveryMs = 60_000
const pauseMs = 1_000

/** Reads all names, and then the ones in the change feed, within a second. Other subscribers do not wait for it. */
export class NamesFollower implements ChangeSubscriber {
  readonly #context: NamesContext
  readonly #woken = new WakeUp()
  #due: Set<string> | 'all' = new Set()

  constructor(context: NamesContext) {
    this.#context = context
  }

  startAfresh(): void {
    this.#due = 'all'
    this.#woken.wake()
  }

  follow(changes: readonly Change[]): void {
    this.#add(changes.flatMap(namesOf))
    if (changes.length > 0) this.#woken.wake()
  }

  /** Runs until the signal. While the database is unavailable, the last known names count. */
  run(): Promise<void> {
    const { log, signal } = this.#context
    const read = async (): Promise<number> => {
      await this.#readDue()
      return readEveryMs
    }
    const onError = waitForDatabase('names', { log, signal, pauseMs })
    return everyOrWhenWoken(read, { signal, wakeUp: this.#woken, onError })
  }

  async #readDue(): Promise<void> {
    const { db, names } = this.#context
    const due = this.#due
    this.#due = new Set()
    try {
      if (due === 'all') names.know(await readAll(db), await readAllVersions(db))
      else names.learn(due, await readSome(db, [...due]), await readVersions(db, [...due]))
    } catch (error) {
      if (due === 'all') this.#due = 'all'
      else this.#add(due)
      throw error
    }
  }

  #add(names: Iterable<string>): void {
    if (this.#due === 'all') return
    for (const name of names) this.#due.add(name)
    if (this.#due.size > dueMax) this.#due = 'all'
  }
}

function namesOf(change: Change): string | readonly string[] {
  if (change.kind === 'host') return change.host
  return change.kind === 'site' ? change.label : []
}

async function readAll(db: Db): Promise<Set<string>> {
  const all = new Set<string>()
  for (const list of [listServedLabels, listMappedHosts]) {
    const pages = pagesOf((after) => list(db, { after, limit: pageSize }), String)
    for await (const page of pages) for (const name of page) all.add(name)
  }
  return all
}

async function readAllVersions(db: Db): Promise<VersionName[]> {
  const all: VersionName[] = []
  for await (const names of allVersionNames(db)) all.push(...names)
  return all
}

async function readVersions(db: Db, names: readonly string[]): Promise<ReadVersions> {
  const sites = await sitesConcerned(db, names)
  return { sites, ofVersions: await versionNamesOf(db, [...sites]) }
}

/** The names among these that lead to a site, with the site's owner. */
async function readSome(db: Db, names: readonly string[]): Promise<Map<string, Did>> {
  const served = new Map<string, Did>()
  for (const some of chunksOf(names.filter((name) => !name.includes('.')))) {
    for (const [label, did] of await servedLabelsAmong(db, some)) served.set(label, did)
  }
  for (const some of chunksOf(names.filter((name) => name.includes('.')))) {
    for (const [host, did] of await mappedHostsAmong(db, some)) served.set(host, did)
  }
  return served
}
