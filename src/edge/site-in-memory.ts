import type { Decision } from '#site/decision.ts'
import type { ServableSite } from '#site/servable-site.ts'
import type { SnapshotFile } from '#site/snapshot.ts'
import { FileAnswer } from './file-answer.ts'
import type { Place } from './place.ts'

type FileDecision = Extract<Decision, { kind: 'file' }>

/** About what is taken in memory by an answer, its headers in two codings included, and by an address. */
const answerBytes = 2048
const addressBytes = 256

/** Addresses of one file that are worth remembering: its own, and that of a folder, on a few hosts. */
const addressesPerFile = 4

/**
 * One version of a site, and the answers that were made from it: one for each file and host, so that
 * whatever visitors ask for, there are never more.
 */
export class SiteInMemory {
  readonly site: ServableSite
  readonly #grow: (bytes: number) => void
  readonly #byHost = new Map<string, Map<SnapshotFile, FileAnswer>>()
  readonly #byUrl = new Map<string, FileAnswer>()

  constructor(site: ServableSite, grow: (bytes: number) => void) {
    this.site = site
    this.#grow = grow
  }

  /** What GET and HEAD of this address are always answered with; undefined when that is to be found out. */
  answerAt(url: string): FileAnswer | undefined {
    return this.#byUrl.get(url)
  }

  /** From now on that of `answerAt`; of too many different addresses the first ones. */
  remember(url: string, answer: FileAnswer): void {
    if (this.#byUrl.size >= this.site.files.size * addressesPerFile) return
    this.#byUrl.set(url, answer)
    this.#grow(addressBytes)
  }

  /** The answer to this decision, the one of last time where nothing tells them apart. */
  answerTo(decision: FileDecision, place: Place): FileAnswer {
    const answers = this.#answersOn(place.host)
    const known = answers.get(decision.file)
    if (known?.fits(decision, place.pathname)) return known
    const answer = new FileAnswer(this.site, decision, place)
    answers.set(decision.file, answer)
    if (known === undefined) this.#grow(answerBytes)
    return answer
  }

  #answersOn(host: string): Map<SnapshotFile, FileAnswer> {
    const known = this.#byHost.get(host)
    if (known !== undefined) return known
    const answers = new Map<SnapshotFile, FileAnswer>()
    this.#byHost.set(host, answers)
    return answers
  }
}
