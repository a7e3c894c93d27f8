import type { Log } from '#observe/log.ts'
import { siteLabel } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { decodeSnapshot, type Snapshot } from '#site/snapshot.ts'
import { latestChangeSeq, oldestChangeSeq, readChanges } from '#store/changes.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { outlastDatabase } from '#store/outlast-database.ts'
import { findSiteByLabel } from '#store/sites.ts'

const changesAtOnce = 1000
const lookAgainMs = 500
/** While the database is away, visitors get what is in memory; soon after, what is new. */
const pauseMs = 1_000

/**
 * The live snapshots of the sites that visitors asked for, by label. Bounded by their size as text;
 * the least recently used go first. A change in the index is seen within a second.
 */
export class Snapshots {
  readonly #db: Db
  readonly #charsMax: number
  #chars = 0
  readonly #loaded = new Map<string, { snapshot: Snapshot; chars: number }>()
  readonly #loading = new Map<string, Promise<Snapshot | null>>()

  constructor({ db, charsMax }: { db: Db; charsMax: number }) {
    this.#db = db
    this.#charsMax = charsMax
  }

  /** At once when it is in memory, else one load a label, however many ask. Null: no such site. */
  get(label: string): Snapshot | Promise<Snapshot | null> {
    const entry = this.#loaded.get(label)
    if (entry === undefined) return this.#loading.get(label) ?? this.#load(label)
    this.#loaded.delete(label)
    this.#loaded.set(label, entry)
    return entry.snapshot
  }

  forget(label: string): void {
    this.#loading.delete(label)
    const entry = this.#loaded.get(label)
    if (entry === undefined) return
    this.#loaded.delete(label)
    this.#chars -= entry.chars
  }

  forgetAll(): void {
    this.#loading.clear()
    this.#loaded.clear()
    this.#chars = 0
  }

  #load(label: string): Promise<Snapshot | null> {
    const loading = findSiteByLabel(this.#db, label)
      .then((site) => {
        if (site === null) return null
        const snapshot = decodeSnapshot(site.snapshot)
        // Forgotten meanwhile: good enough for those who asked before the change, not for later ones.
        if (this.#loading.get(label) === loading) this.#keep(label, snapshot, site.snapshot.length)
        return snapshot
      })
      .finally(() => {
        if (this.#loading.get(label) === loading) this.#loading.delete(label)
      })
    this.#loading.set(label, loading)
    return loading
  }

  #keep(label: string, snapshot: Snapshot, chars: number): void {
    this.#loaded.set(label, { snapshot, chars })
    this.#chars += chars
    for (const oldest of this.#loaded.keys()) {
      if (this.#chars <= this.#charsMax || oldest === label) break
      this.forget(oldest)
    }
  }
}

interface FollowContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly snapshots: Snapshots
  readonly signal: AbortSignal
}

/** Forgets what has changed, until the signal ends it. A database that is away is waited for. */
export async function followChanges(context: FollowContext): Promise<void> {
  const { db, hints, log, snapshots, signal } = context
  using hinted = hints.subscribe('changes')
  let seen: number | null = null
  const forgetChanged = async (): Promise<void> => {
    if (seen === null) {
      seen = await latestChangeSeq(db)
      // Of what was loaded until now nobody knows whether it has changed since.
      snapshots.forgetAll()
    }
    // A process that slept longer than changes are kept has missed some.
    if ((await oldestChangeSeq(db)) > seen + 1) snapshots.forgetAll()
    const changes = await readChanges(db, seen, changesAtOnce)
    for (const { seq, did, name } of changes) {
      const siteName = parseSiteName(name)
      if (siteName !== null) snapshots.forget(siteLabel({ did, name: siteName }))
      seen = seq
    }
    if (changes.length < changesAtOnce) await hinted.wait(lookAgainMs, signal)
  }
  await outlastDatabase('edge', forgetChanged, { log, signal, pauseMs })
}
