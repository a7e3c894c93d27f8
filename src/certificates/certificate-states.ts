import {
  type CertificateProblem,
  type CertificateState,
  certificateState,
  certificateStates,
} from '#site/certificate-state.ts'
import { countCertificates, findCertificateFacts } from '#store/certificates/certificates.ts'
import type { Db } from '#store/database/database.ts'
import { certificateNamesOf } from './certificate.ts'
import type { FileCertificates } from './file-certificates.ts'

interface StatesContext {
  readonly db: Db
  /** They come first, as in handshakes. */
  readonly files: Pick<FileCertificates, 'all' | 'find'>
  /** Whether this service orders certificates too. */
  readonly isOrdering: boolean
  readonly now: () => number
}

export interface CertificateTotals {
  readonly states: Readonly<Record<CertificateState['state'], number>>
  /** Of certificates that are not issued, or not renewed. */
  readonly problems: ReadonlyMap<CertificateProblem, number>
  /** Of those that are kept and still valid; null: there are none. */
  readonly soonestExpiry: number | null
}

/** In which state the certificates are that this service shows. */
export class CertificateStates {
  readonly #context: StatesContext

  constructor(context: StatesContext) {
    this.#context = context
  }

  /** By host; without those that have no certificate and are to have none. */
  async of(hosts: readonly string[]): Promise<ReadonlyMap<string, CertificateState>> {
    const { db, isOrdering, now } = this.#context
    const found = new Map<string, CertificateState>()
    const names = [...new Set(hosts.flatMap(certificateNamesOf))]
    const stored = isOrdering ? await findCertificateFacts(db, names) : new Map()
    const storedOf = (host: string): CertificateState | null => {
      const states = certificateNamesOf(host).map((name) => {
        const facts = stored.get(name)
        return facts === undefined ? null : certificateState(facts, now())
      })
      return states.find((state) => state?.state === 'valid') ?? states.find(Boolean) ?? null
    }
    for (const host of hosts) {
      const facts = this.#fileFacts(host)
      const state = facts === undefined ? storedOf(host) : certificateState(facts, now())
      if (state !== null) found.set(host, state)
    }
    return found
  }

  async totals(): Promise<CertificateTotals> {
    const { db, files, isOrdering, now } = this.#context
    const stored = isOrdering ? await countCertificates(db, now()) : []
    const inFiles = files.all().map(({ validUntil }) => ({ ...fromFile(validUntil), count: 1 }))
    const states = Object.fromEntries(certificateStates.map((state) => [state, 0])) as Record<
      CertificateState['state'],
      number
    >
    const problems = new Map<CertificateProblem, number>()
    const ends: number[] = []
    for (const { count, ...facts } of [...stored, ...inFiles]) {
      const of = certificateState(facts, now())
      if (of === null) continue
      states[of.state] += count
      if (of.problem !== null) problems.set(of.problem, (problems.get(of.problem) ?? 0) + count)
      if (of.state === 'valid' && facts.isWanted) ends.push(of.validUntil ?? 0)
    }
    return { states, problems, soonestExpiry: ends.length === 0 ? null : Math.min(...ends) }
  }

  #fileFacts(host: string) {
    const { files } = this.#context
    const found = certificateNamesOf(host).map((name) => files.find(name))
    const certificate = found.find((each) => each !== null)
    return certificate && fromFile(certificate.validUntil)
  }
}

/** Somebody else renews it. */
const fromFile = (validUntil: number) => ({
  isWanted: true,
  validUntil,
  dueAt: 0,
  problem: null,
  detail: null,
})
