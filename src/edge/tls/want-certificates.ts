import { certificateNamesOf } from '#certificates/certificate.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import { permitsCertificate } from '#edge/names/ask.ts'
import type { RoutedHosts } from '#edge/names/route.ts'
import type { ServedNames } from '#edge/names/served-names.ts'
import type { Log } from '#observe/log.ts'
import {
  listCertificateNames,
  unwantCertificates,
  wantCertificates,
  wantedAmong,
} from '#store/certificates/certificates.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'

interface WantContext extends RoutedHosts {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly names: Pick<ServedNames, 'hosts' | 'permits'>
  /** Whether the host needs no order: it has a certificate that somebody else renews. */
  readonly isInFiles: (host: string) => boolean
  /** Whether a wildcard for the base domain is ordered, and whether there is one. */
  readonly wildcard: { readonly isOrdered: boolean; readonly isThere: () => boolean }
  readonly now: () => number
  readonly signal: AbortSignal
}

const everyMs = 30_000
const pageSize = 500

/** Decides which hosts have a certificate of their own: all that lead somewhere. */
export class WantedCertificates {
  readonly #context: WantContext
  readonly #fixed: ReadonlySet<string>

  constructor(context: WantContext) {
    this.#context = context
    const { applicationHost, baseDomain, wildcard } = context
    const below = wildcard.isOrdered ? `*.${baseDomain}` : `sites.${baseDomain}`
    this.#fixed = new Set([applicationHost, baseDomain, below])
  }

  /** As `permitsCertificate`, and the base domain, which leads to the application. */
  permits(host: string): boolean | null {
    return this.#fixed.has(host) || permitsCertificate(host, this.#context)
  }

  /** Has a certificate ordered. */
  async want(hosts: readonly string[]): Promise<void> {
    const { db, now, wakeUps } = this.#context
    await wantCertificates(db, hosts, now())
    wakeUps.notify('certificates-wanted')
  }

  /** Has those ordered that are needed before anybody visits, and those not renewed that lead nowhere now, until the signal. */
  async run(): Promise<void> {
    await repeatEvery(
      { everyMs, failure: 'certificates not reviewed' },
      () => this.review(),
      this.#context,
    )
  }

  /** In pages with time for visitors between them: a service may have a hundred thousand of each. */
  async review(): Promise<void> {
    await this.#wantMissing()
    // Those that lead somewhere again, such as sites of an account that was not active.
    await this.#eachPage({ isWanted: false }, async (names) => {
      const back = names.filter((host) => this.#isNeeded(host))
      if (back.length > 0) await this.want(back)
    })
    await this.#eachPage({ isWanted: true }, async (names) => {
      const unwanted = names.filter((host) => this.permits(host) === false || this.#isCovered(host))
      await unwantCertificates(this.#context.db, unwanted)
    })
  }

  async #wantMissing(): Promise<void> {
    const { db, isInFiles, names } = this.#context
    // Not those below the base domain, which are many and may never be visited: each gets its own when it is.
    for (const hosts of chunksOf([...this.#fixed, ...names.hosts()])) {
      const needed = hosts.filter((host) => !isInFiles(host))
      const wanted = await wantedAmong(db, needed)
      const missing = needed.filter((host) => !wanted.has(host) && this.#isNeeded(host))
      if (missing.length > 0) await this.want(missing)
      await yieldEventLoop()
    }
  }

  #isNeeded(host: string): boolean {
    return this.permits(host) === true && !this.#isCovered(host)
  }

  /** By the wildcard: it needs none of its own any more. */
  #isCovered(host: string): boolean {
    const { baseDomain, wildcard } = this.#context
    if (this.#fixed.has(host) || !wildcard.isThere()) return false
    return certificateNamesOf(host)[1] === `*.${baseDomain}`
  }

  async #eachPage(
    { isWanted }: { readonly isWanted: boolean },
    review: (names: string[]) => Promise<void>,
  ): Promise<void> {
    const { db } = this.#context
    const list = (after: string) => listCertificateNames(db, { isWanted, after, limit: pageSize })
    for await (const page of pagesOf(list, String)) await review(page)
  }
}
