import type { Given } from './claimers.ts'
import { commitsOf } from './commits.ts'
import type { Publisher } from './publisher.ts'
import type { Visitors } from './visitors.ts'

/** What must not happen, as sentences. */
export interface Ledger {
  /** Jobs that were accepted and are not published, and names that were given and are not there. */
  readonly lost: readonly string[]
  /** Jobs that have committed twice, and names that two accounts were given. */
  readonly twice: readonly string[]
  readonly torn: readonly string[]
  /** Visits without a page, at the balancer. */
  readonly unanswered: readonly string[]
}

export const clean: Ledger = { lost: [], twice: [], torn: [], unanswered: [] }

interface LedgerOptions {
  readonly publishers: readonly Publisher[]
  readonly visitors: Visitors
  readonly given: Given
  readonly pds: string
  query(statement: string): Promise<Record<string, unknown>[]>
  versionNow(publisher: Publisher): Promise<number>
}

/** Of all that has happened so far; nobody publishes meanwhile. */
export async function ledgerOf(options: LedgerOptions): Promise<Ledger> {
  const { given, pds, publishers, query, versionNow, visitors } = options
  const lost: string[] = []
  const twice: string[] = []
  const commits = await commitsOf(pds, 'place.sitehost.fs')
  const jobs = await query('select id, did, site, status from jobs')
  for (const publisher of publishers) {
    const { completed, did, failures, site } = publisher
    const version = await versionNow(publisher)
    if (version < completed) lost.push(`${site}: ${version} is live, ${completed} was published`)
    lost.push(...failures)
    const own = jobs.filter((job) => job['did'] === did)
    for (const id of publisher.accepted) {
      const status = own.find((job) => job['id'] === id)?.['status']
      if (status !== 'completed') lost.push(`${site}: job ${id} is ${status}`)
    }
    const published = own.filter((job) => job['status'] === 'completed').length
    const committed = commits.get(`${did}/${site}`)?.length ?? 0
    if (committed > published) twice.push(`${site}: ${committed} commits of ${published} jobs`)
    if (committed < published) lost.push(`${site}: ${committed} commits of ${published} jobs`)
  }
  const rows = await query('select domain, did from subdomains')
  const owners = new Map(rows.map(({ did, domain }) => [domain, did]))
  for (const [name, dids] of given) {
    if (dids.length > 1) twice.push(`${name} was given to ${dids.join(' and ')}`)
    const owner = owners.get(`${name}.localhost`)
    if (dids[0] !== undefined && owner !== dids[0]) lost.push(`${name} of ${dids[0]} is ${owner}’s`)
  }
  return { lost, twice, torn: visitors.torn, unanswered: visitors.unanswered.slice(0, 5) }
}
