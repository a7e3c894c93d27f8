import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { diskBlobStore } from '#blobs/disk.ts'
import type { Did } from '#site/site-address.ts'
import { decodeSnapshot } from '#site/visit/snapshot.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { findSiteByLabel, listServedLabels } from '#store/sites/sites.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import type { EventServer, LoggedFrame } from '#tests/support/servers/event-server.ts'
import {
  jetstreamAccount,
  jetstreamCommit,
  jetstreamIdentity,
  startJetstreamServer,
} from '#tests/support/servers/jetstream-server.ts'
import {
  type ManyRepo,
  type RepoNetwork,
  siteRecord,
  startRepoNetwork,
} from '#tests/support/servers/repo-network.ts'
import { reposCommit, reposEvent, startReposServer } from '#tests/support/servers/repos-server.ts'

export type SoakFormat = 'subscribeRepos' | 'jetstream'

interface SoakOptions {
  readonly format: SoakFormat
  readonly seed: number
  readonly events: number
  readonly accounts: number
  /** After how many events the service is killed; or every so many milliseconds in which it runs. */
  readonly kill: { readonly everyEvents: number } | { readonly everyMs: number }
  readonly eventEveryMs: number
}

export interface SoakFigures {
  readonly events: number
  /** What was sent more than once, and connections that were lost while the service ran. */
  readonly replayed: number
  readonly drops: number
  readonly kills: number
  /** Changes of what visitors get. */
  readonly changes: number
  readonly sitesAtEnd: number
  readonly settledMs: number
}

/**
 * Lives of many repositories, told by a source that loses connections and repeats itself, to a service that
 * mirrors everybody and is killed again and again. In the end the index is what the repositories are, and
 * nothing went live that is older than what was live before. Throws what `expect` throws.
 */
export async function soak(options: SoakOptions): Promise<SoakFigures> {
  await using run = await Soak.open(options)
  await run.live()
  return await run.settle()
}

/** A service that has nothing to do is killed all the same. */
const workWithinMs = 5_000
const siteNames = ['a', 'b', 'c']
const pageContents = Array.from({ length: 30 }, (_, n) => `page ${n}`)

class Soak implements AsyncDisposable {
  readonly #options: SoakOptions
  readonly #dir: string
  readonly #network: RepoNetwork
  readonly #source: EventServer
  readonly #random: () => number
  readonly #sent: LoggedFrame[] = []
  /** Told later than those of others; of one account in their order. */
  readonly #held: { readonly did: Did; readonly tell: () => void }[] = []
  #service: ServiceProcess | null = null
  #port: string | null = null
  #number = 0
  #pages = 0
  #replayed = 0
  #drops = 0
  #kills = 0

  private constructor(options: SoakOptions, dir: string) {
    this.#options = options
    this.#dir = dir
    this.#network = startRepoNetwork(options.accounts)
    this.#source =
      options.format === 'jetstream' ? startJetstreamServer() : startReposServer({ isSilent: true })
    this.#random = randomFrom(options.seed)
  }

  static async open(options: SoakOptions): Promise<Soak> {
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-soak-'))
    const soak = new Soak(options, dir)
    await mkdir(join(dir, 'blobs'))
    await using database = openDatabase({ file: soak.#databaseFile })
    await migrate(database)
    watchIndex(soak.#databaseFile)
    await soak.#start()
    return soak
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    await this.#source[Symbol.asyncDispose]()
    await this.#network[Symbol.asyncDispose]()
    await rm(this.#dir, { recursive: true })
  }

  get #databaseFile(): string {
    return join(this.#dir, 'sitehost.db')
  }

  async live(): Promise<void> {
    const { events, eventEveryMs, kill } = this.#options
    const over = new AbortController()
    const killing = 'everyMs' in kill ? this.#killEvery(kill.everyMs, over.signal) : null
    for (let n = 1; n <= events; n++) {
      await this.#step()
      this.#disturb()
      if ('everyEvents' in kill && n % kill.everyEvents === 0) await this.#killAndStart()
      await setTimeout(eventEveryMs)
    }
    over.abort()
    await killing
    for (const { tell } of this.#held.splice(0)) tell()
  }

  async #killEvery(ms: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const before = this.#changesSoFar()
      await setTimeout(ms * (0.5 + this.#random()), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      // In the middle of its work, also where a busy machine takes long to begin with it.
      const hasBegun = async () => expect(this.#changesSoFar()).toBeGreaterThan(before)
      await eventually(hasBegun, workWithinMs).catch(() => undefined)
      await this.#killAndStart()
    }
  }

  async #killAndStart(): Promise<void> {
    await this.#service?.end('SIGKILL')
    this.#kills += 1
    await this.#start()
  }

  async #start(): Promise<void> {
    const { plc } = this.#network
    this.#port ??= await ownPort()
    const args = ['serve', '--port', this.#port, '--data', this.#dir]
    this.#service = await startServiceProcess(args, {
      ...{ PLC_URL: plc, HANDLE_RESOLVER_URL: plc, RELAY_URL: plc },
      ...{ FIREHOSE_URL: this.#source.url, ALLOW_PRIVATE_HOSTS: '1' },
      ...{ INGEST: 'all', LOG_LEVEL: 'error' },
    })
  }

  /** One thing that happens to one account. */
  async #step(): Promise<void> {
    const repo = this.#pick(this.#network.repos)
    const dice = this.#random()
    if (repo.status === 'deleted') return await this.#write(this.#pick(this.#network.repos))
    if (repo.status !== 'active') return this.#setStatus(repo, 'active')
    if (dice < 0.03) return this.#setStatus(repo, 'deactivated')
    if (dice < 0.05) return this.#setStatus(repo, 'takendown')
    if (dice < 0.052) return this.#setStatus(repo, 'deleted')
    if (dice < 0.07) return this.#identity(repo, () => repo.rotateKey())
    if (dice < 0.09) {
      return this.#identity(repo, () => {
        repo.home = 1 - repo.home
      })
    }
    return await this.#write(repo)
  }

  async #write(repo: ManyRepo): Promise<void> {
    const name = this.#pick(siteNames)
    const path = `place.sitehost.fs/${name}`
    const settings = `place.sitehost.settings/${name}`
    const dice = this.#random()
    const exists = repo.cids.has(path)
    if (exists && dice < 0.2) {
      await repo.commit(new Map([[path, null]]))
      return this.#commit(repo, path)
    }
    if (exists && dice < 0.3) {
      // Gone and there again in one commit.
      await repo.commit(new Map([[path, this.#newSite(name)]]))
      return this.#commit(repo, path, path)
    }
    if (exists && dice < 0.45) {
      const record = { $type: 'place.sitehost.settings', cleanUrls: this.#random() < 0.5 }
      await repo.commit(new Map([[settings, this.#random() < 0.3 ? null : record]]))
      return this.#commit(repo, settings)
    }
    if (dice > 0.9) {
      const all = siteNames.map((one) => `place.sitehost.fs/${one}`)
      await repo.commit(new Map(all.map((at, i) => [at, this.#newSite(siteNames[i] ?? '')])))
      return this.#commit(repo, ...all)
    }
    await repo.commit(new Map([[path, this.#newSite(name)]]))
    return this.#commit(repo, path)
  }

  /** Every one is another record; most of the files were there before. */
  #newSite(name: string): object {
    this.#pages += 1
    const isNew = this.#random() < 0.3
    const page = isNew ? `fresh ${this.#options.seed}/${this.#pages}` : this.#pick(pageContents)
    const files = {
      'index.html': this.#network.addBlob(page),
      'about.html': this.#network.addBlob(this.#pick(pageContents)),
    }
    return siteRecord(name, files, new Date(1_700_000_000_000 + this.#pages * 1000).toISOString())
  }

  #commit({ did }: ManyRepo, ...paths: string[]): void {
    if (this.#options.format === 'subscribeRepos') {
      this.#tell(did, (number) => reposCommit(number, did, ...paths))
    } else {
      for (const path of paths) this.#tell(did, (number) => jetstreamCommit(number, did, path))
    }
  }

  #setStatus(repo: ManyRepo, status: ManyRepo['status']): void {
    repo.status = status
    const account =
      status === 'active'
        ? { did: repo.did, active: true }
        : { did: repo.did, active: false, status }
    this.#tell(repo.did, (number) =>
      this.#options.format === 'jetstream'
        ? jetstreamAccount(number, repo.did, account)
        : reposEvent('#account', number, account),
    )
  }

  #identity(repo: ManyRepo, change: () => void): void {
    change()
    this.#tell(repo.did, (number) =>
      this.#options.format === 'jetstream'
        ? jetstreamIdentity(number, repo.did)
        : reposEvent('#identity', number, { did: repo.did, handle: 'a.example' }),
    )
  }

  /** Now, or behind what others do; an account's own events keep their order. */
  #tell(did: Did, frameOf: (number: number) => LoggedFrame): void {
    const tell = (): void => {
      this.#number =
        this.#options.format === 'jetstream'
          ? Math.max(this.#number + 1, Date.now() * 1000)
          : this.#number + 1
      const frame = frameOf(this.#number)
      this.#sent.push(frame)
      this.#source.emit(frame)
    }
    const waits = this.#held.some((held) => held.did === did)
    if (waits || this.#random() < 0.1) this.#held.push({ did, tell })
    else tell()
  }

  #disturb(): void {
    if (this.#held.length > 20) for (const { tell } of this.#held.splice(0, 10)) tell()
    if (this.#random() < 0.01) {
      this.#source.drop()
      this.#drops += 1
    }
    if (this.#random() < 0.05 && this.#sent.length > 0) {
      const from = Math.floor(this.#random() * this.#sent.length)
      for (const { frame } of this.#sent.slice(from, from + 5)) {
        this.#source.send(frame)
        this.#replayed += 1
      }
    }
  }

  async settle(): Promise<SoakFigures> {
    const start = performance.now()
    const expected = this.#model()
    await eventually(async () => expect(await this.#index()).toEqual(expected), 90_000)
    const settledMs = performance.now() - start
    const changes = this.#checkOrder()
    return {
      events: this.#sent.length,
      replayed: this.#replayed,
      drops: this.#drops,
      kills: this.#kills,
      changes,
      sitesAtEnd: expected.size,
      settledMs,
    }
  }

  /** What visitors should get: the record's CID, and whether the settings say so, by site. */
  #model(): Map<string, string> {
    const sites = new Map<string, string>()
    for (const { did, status, cids } of this.#network.repos) {
      for (const name of siteNames) {
        const cid = cids.get(`place.sitehost.fs/${name}`)
        const settings = cids.get(`place.sitehost.settings/${name}`)
        if (status === 'active' && cid !== undefined) {
          sites.set(`${did}/${name}`, `${cid} ${settings === undefined ? 'plain' : 'settings'}`)
        }
      }
    }
    return sites
  }

  /** What visitors get, every byte of it read. */
  async #index(): Promise<Map<string, string>> {
    await using database = openDatabase({ file: this.#databaseFile })
    const { db } = database
    const blobs = diskBlobStore({ dir: join(this.#dir, 'blobs') })
    const sites = new Map<string, string>()
    const labels = await listServedLabels(db, { limit: 100_000 })
    for (const label of labels) {
      const site = await findSiteByLabel(db, label)
      if (site === null) continue
      const { files, recordCid, settings } = decodeSnapshot(site.snapshot)
      for (const { hash } of files.values()) expect(await blobs.open(hash)).not.toBeNull()
      const isPlain = settings === null
      sites.set(`${site.did}/${site.name}`, `${recordCid} ${isPlain ? 'plain' : 'settings'}`)
    }
    return sites
  }

  #changesSoFar(): number {
    using store = new Database(this.#databaseFile, { readonly: true })
    return store.query<{ n: number }, []>('select count(*) as n from soak_log').get()?.n ?? 0
  }

  /** How often something changed; throws when anything went back, or was never in a repository. */
  #checkOrder(): number {
    using store = new Database(this.#databaseFile, { readonly: true })
    const rows = store
      .query<{ did: string; name: string; rev: string; cid: string | null }, []>(
        'select did, name, rev, cid from soak_log order by seq',
      )
      .all()
    const repos = new Map<string, ManyRepo>(this.#network.repos.map((repo) => [repo.did, repo]))
    const last = new Map<string, string>()
    for (const { did, name, rev, cid } of rows) {
      const site = `${did}/${name}`
      const state = repos.get(did)?.history.get(rev)
      expect(state?.get(`place.sitehost.fs/${name}`) ?? null, `${site} at ${rev}`).toBe(cid)
      expect(rev > (last.get(site) ?? ''), `${site}: ${rev} after ${last.get(site)}`).toBe(true)
      last.set(site, rev)
    }
    return rows.length
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#random() * items.length)] as T
  }
}

/** Has the database itself write down every change of what visitors get. */
function watchIndex(file: string): void {
  using store = new Database(file)
  store.run('pragma busy_timeout = 10000') // the service may be writing
  store.run(
    'create table soak_log (seq integer primary key autoincrement, did text, name text, rev text, cid text)',
  )
  store.run(`create trigger soak_live after update of live_version_id on sites
    when new.live_version_id is not null and new.live_version_id is not old.live_version_id begin
      insert into soak_log (did, name, rev, cid)
        select did, name, rev, record_cid from versions where id = new.live_version_id;
    end`)
  store.run(`create trigger soak_removed after update of removed_rev on sites
    when new.removed_rev is not null and old.live_version_id is not null begin
      insert into soak_log (did, name, rev, cid) values (new.did, new.name, new.removed_rev, null);
    end`)
}

/** Mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
