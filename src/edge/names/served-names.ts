import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { LruMap } from '#concurrency/lru-map.ts'
import { limitedKeysMax, RateLimiter } from '#concurrency/rate-limiter.ts'
import type { Allowance } from '#concurrency/token-bucket.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
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
import { type NameHash, NameHashes, nameHasher } from './name-hashes.ts'
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

interface ServedNamesOptions {
  readonly now?: () => number
  /** Names below it are many, and kept as hashes alone. */
  readonly baseDomain: string
}

/**
 * Every name that leads to a site, in memory: mapped hosts, labels (`s--…`) of served sites, and the names of versions and
 * previews. All of them, so that made-up names, which have no end, cost no query. As hashes, some 20 bytes each: a made-up name is
 * taken for one of a million in one case of 10^9. Names that were there at the start have had
 * time to get a certificate: only later ones count as new.
 */
export class ServedNames {
  readonly #hashOf = nameHasher()
  readonly #baseDomain: string
  /** Null until they were read. */
  #names: KnownNames | null = null
  /** New names that were not permitted yet, with their owners. */
  readonly #new = new Map<NameHash, Did>()
  /** Removed names that were not new any more: they may come back. */
  readonly #gone = new LruMap<NameHash, true>(limitedKeysMax)
  readonly #allowed: Readonly<Record<'below-base' | 'custom', RateLimiter>>

  constructor({ baseDomain, now = () => performance.now() }: ServedNamesOptions) {
    this.#baseDomain = baseDomain
    this.#allowed = {
      'below-base': new RateLimiter(newNamesAllowance, { now }),
      custom: new RateLimiter(newDomainsAllowance, { now }),
    }
  }

  get size(): number {
    return this.#names?.hashes.size ?? 0
  }

  /** Null: names not read yet. `name` is a label, a canonical host, or what `previewName` makes. */
  has(name: string): boolean | null {
    return this.#names?.hashes.has(this.#hashOf(name)) ?? null
  }

  /** The custom domains among them; none before they were read. */
  hosts(): Iterable<string> {
    return this.#names?.customHosts ?? []
  }

  /** Whether the name may get a certificate. Once permitted, it stays so: renewals do not count. Null as for `has`. */
  permits(name: string, kind: 'below-base' | 'custom'): boolean | null {
    const hash = this.#hashOf(name)
    const owner = this.#new.get(hash)
    if (owner === undefined || !this.has(name)) return this.has(name)
    if (this.#allowed[kind].take(owner) > 0) return false
    this.#new.delete(hash)
    return true
  }

  /** For `know`. */
  empty(): KnownNames {
    return new KnownNames(this.#hashOf, this.#baseDomain)
  }

  /** Replaces all known names. */
  know(names: KnownNames): void {
    this.#names = names
  }

  /**
   * Updates whether these names lead to a site. `served`: the ones that do, with their owners.
   */
  learn(
    names: Iterable<string>,
    served: ReadonlyMap<string, Did>,
    { sites, ofVersions }: ReadVersions = noVersions,
  ): void {
    const known = this.#names
    if (known === null) return
    const changed = new Set(names)
    const gone = new Set<NameHash>()
    for (const name of changed) if (!served.has(name)) gone.add(this.#hashOf(name))
    for (const at of changed.union(sites)) {
      for (const hash of known.ofVersions.at(this.#hashOf(at))) gone.add(hash)
    }
    for (const { name, owner } of ofVersions) {
      gone.delete(this.#hashOf(name))
      this.#noteNew(name, owner)
    }
    for (const [name, owner] of served) {
      gone.delete(this.#hashOf(name))
      this.#noteNew(name, owner)
      known.add(name)
    }
    for (const version of ofVersions) known.addVersion(version)
    for (const hash of gone) this.#forget(hash)
    for (const name of changed) if (!served.has(name)) known.customHosts.delete(name)
  }

  #noteNew(name: string, owner: Did): void {
    const hash = this.#hashOf(name)
    if (this.has(name) === false && !this.#gone.get(hash)) this.#new.set(hash, owner)
  }

  #forget(hash: NameHash): void {
    const wasNew = this.#new.delete(hash)
    this.#names?.ofVersions.delete(hash)
    if (this.#names?.hashes.delete(hash) && !wasNew) this.#gone.set(hash, true)
  }
}

/** All names that were read. */
export class KnownNames {
  readonly hashes = new NameHashes()
  readonly customHosts = new Set<string>()
  /** Those among them that lead to versions and previews. */
  readonly ofVersions = new VersionNameIndex()
  readonly #hashOf: (name: string) => NameHash
  readonly #suffix: string

  constructor(hashOf: (name: string) => NameHash, baseDomain: string) {
    this.#hashOf = hashOf
    this.#suffix = `.${baseDomain}`
  }

  /** A label has no dot, a host has one. */
  add(name: string): void {
    this.hashes.add(this.#hashOf(name))
    if (name.includes('.') && !name.endsWith(this.#suffix)) this.customHosts.add(name)
  }

  addVersion({ name, siteLabel, below }: VersionName): void {
    const hash = this.#hashOf(name)
    this.hashes.add(hash)
    const site = this.#hashOf(siteLabel)
    this.ofVersions.add({ name: hash, site, below: below === null ? site : this.#hashOf(below) })
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

/** Above this many changed names, all names are read again: some 10 MB. */
const dueMax = 100_000
/** Of them, those that are looked up at a time. */
const dueAtOnce = 500
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
      if (due === 'all') names.know(await readAll(db, names.empty()))
      else await this.#learn(due)
    } catch (error) {
      if (due === 'all') this.#due = 'all'
      else this.#add(due)
      throw error
    }
  }

  /** Removes from `due` what it has learnt. */
  async #learn(due: Set<string>): Promise<void> {
    const { db, names } = this.#context
    for (const some of chunksOf([...due], dueAtOnce)) {
      names.learn(some, await readSome(db, some), await readVersions(db, some))
      for (const name of some) due.delete(name)
      await yieldEventLoop()
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

async function readAll(db: Db, all: KnownNames): Promise<KnownNames> {
  for (const list of [listServedLabels, listMappedHosts]) {
    const pages = pagesOf((after) => list(db, { after, limit: pageSize }), String)
    for await (const page of pages) for (const name of page) all.add(name)
  }
  for await (const names of allVersionNames(db))
    for (const version of names) all.addVersion(version)
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
