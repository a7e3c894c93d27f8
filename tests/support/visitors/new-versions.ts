import { createSession } from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import type { Network } from '../../../devnet/start.ts'
import { prepareVersion, readSite, shownVersion } from './marked-site.ts'
import { pageUrl } from './plain-sites.ts'

interface NewVersionsOptions {
  readonly network: Network
  /** A service that follows this network with `INGEST=all`. */
  readonly app: string
  readonly versions: number
  readonly readers: number
}

interface NewVersionsEnd {
  /** Of a page with all of its assets. */
  readonly visits: number
  readonly complaints: readonly string[]
  /** From the moment a version was sent to the account's server until visitors saw it, shortest first. */
  readonly visibleMs: readonly number[]
}

/**
 * Another program commits one version of a site after the other, each when the one before is visible, while
 * readers visit it without a pause. Every second reader loads the assets of a page only when another
 * version has taken its place.
 */
export async function publishWhileRead(options: NewVersionsOptions): Promise<NewVersionsEnd> {
  const { network, app, versions, readers } = options
  const account = await createSession(network.pds, 'alice.test', 'hunter2pass')
  const commits: (() => Promise<unknown>)[] = []
  for (let version = 1; version <= versions; version++) {
    commits.push(await prepareVersion(account, siteName, version))
  }
  const site = pageUrl(app, account.did, siteName)
  const course = new Course()
  const visibleMs: number[] = []
  const visitors: Promise<Visits>[] = []
  for (const commit of commits) {
    visibleMs.push(await course.goOn(site, commit))
    while (visitors.length < readers) {
      visitors.push(visitUntilEnd(site, course, visitors.length % 2 === 1))
    }
  }
  course.end()
  const ends = await Promise.all(visitors)
  return {
    visits: ends.reduce((sum, { visits }) => sum + visits, 0),
    complaints: ends.flatMap(({ complaints }) => complaints),
    visibleMs: visibleMs.toSorted((a, b) => a - b),
  }
}

const siteName = 'marked'

/** Where the site is in its row of versions. */
class Course {
  committed = 0
  visible = 0
  isOver = false
  #change = Promise.withResolvers<void>()

  /** Commits the next version and waits until it is what visitors see; how long that took. */
  async goOn(site: URL, commit: () => Promise<unknown>): Promise<number> {
    this.committed += 1
    const began = performance.now()
    await commit()
    await eventually(async () => {
      if ((await shownVersion(site)) !== this.committed) throw new Error('not visible')
    })
    const took = performance.now() - began
    this.visible = this.committed
    this.#tell()
    return took
  }

  end(): void {
    this.isOver = true
    this.#tell()
  }

  /** Resolves when this version is no longer the visible one, or there will be no other. */
  async replaced(version: number): Promise<void> {
    while (this.visible <= version && !this.isOver) await this.#change.promise
  }

  #tell(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }
}

interface Visits {
  readonly visits: number
  readonly complaints: readonly string[]
}

async function visitUntilEnd(site: URL, course: Course, isLate: boolean): Promise<Visits> {
  const all: string[] = []
  let visits = 0
  let seen = 0
  const between = async (version: number): Promise<void> => {
    if (isLate) await course.replaced(version)
  }
  while (!course.isOver) {
    const { version, complaints } = await readSite(site, between, () => course.committed)
    if (version < seen) all.push(`page of ${version} after that of ${seen}`)
    all.push(...complaints)
    seen = version
    visits += 1
  }
  return { visits, complaints: all }
}
