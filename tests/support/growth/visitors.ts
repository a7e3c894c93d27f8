import { setTimeout as sleep } from 'node:timers/promises'
import { pageUrl } from '#tests/support/visitors/plain-sites.ts'
import type { Publisher } from './publisher.ts'

interface VisitorsOptions {
  readonly balancerPort: number
  readonly instances: readonly { readonly name: string; readonly port: number }[]
  readonly publishers: readonly Publisher[]
  readonly pauseMs: number
}

const answerMsMax = 10_000

/** Visit every site without an end: at the balancer, and at each instance. */
export class Visitors {
  readonly #options: VisitorsOptions
  #isStopped = false
  #running: Promise<unknown> = Promise.resolve()
  /** By instance and site. */
  readonly #newest = new Map<string, number>()
  visits = 0
  /** Pages with files of two versions, and those older than one that this instance has shown. */
  readonly torn: string[] = []
  /** Visits through the balancer without a page. */
  readonly unanswered: string[] = []
  slowestMs = 0

  constructor(options: VisitorsOptions) {
    this.#options = options
  }

  start(): void {
    const { balancerPort, instances, publishers } = this.#options
    this.#isStopped = false
    this.#running = Promise.all(
      publishers.flatMap((publisher) => [
        this.#repeat(() => this.#visit(publisher, balancerPort)),
        ...instances.map((instance) => this.#repeat(() => this.#look(publisher, instance))),
      ]),
    )
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  async #repeat(visit: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      await visit()
      await sleep(this.#options.pauseMs)
    }
  }

  async #visit(publisher: Publisher, port: number): Promise<void> {
    const began = performance.now()
    try {
      await versionAt(publisher, port, '/')
      this.visits += 1
    } catch (error) {
      this.unanswered.push(`${publisher.site}: ${String(error)}`)
    }
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began)
  }

  async #look(publisher: Publisher, { name, port }: { name: string; port: number }): Promise<void> {
    // It may be away; what it says has to be right.
    const seen = await seenAt(publisher, port).catch(() => null)
    if (seen === null) return
    const key = `${name} ${publisher.site}`
    const newest = this.#newest.get(key) ?? 0
    if (seen.isTorn) this.torn.push(`${key}: ${seen.versions.join(', ')}`)
    if (seen.version < newest) this.torn.push(`${key}: ${seen.version} after ${newest}`)
    this.#newest.set(key, Math.max(newest, seen.version))
  }
}

async function seenAt(publisher: Publisher, port: number) {
  const page = await versionAt(publisher, port, '/')
  const mark = await versionAt(publisher, port, '/mark.txt')
  const again = await versionAt(publisher, port, '/')
  // Another version may go live between two requests, and then it stays.
  return {
    version: page,
    versions: [page, mark, again],
    isTorn: mark < page || mark > again,
  }
}

/** Which version a file of a site is of, at one of the ports. Throws when it is not there. */
export async function versionAt(
  { did, site }: Pick<Publisher, 'did' | 'site'>,
  port: number,
  path: string,
): Promise<number> {
  const { host } = pageUrl(`http://127.0.0.1:${port}`, did, site)
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { host },
    signal: AbortSignal.timeout(answerMsMax),
  })
  const text = await answer.text()
  const version = /version (\d+)$/.exec(text)?.[1]
  if (answer.status !== 200 || version === undefined) {
    throw new Error(`${answer.status} ${text.slice(0, 80)}`)
  }
  return Number(version)
}
