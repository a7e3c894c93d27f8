import { accountSitesMax, customDomainsMax } from '#site/limits.ts'
import { siteLabel } from '#site/site-address.ts'
import { encodeSnapshot } from '#site/visit/snapshot.ts'
import type { Database } from '#store/database/database.ts'
import { errorEntriesMax } from '#store/log/prune-log.ts'
import { handledReportsMax, openReportsMax } from '#store/moderation/reports.ts'
import { accountOf, progress, siteOf } from '#tests/support/database/sample-rows.ts'
import { snapshotOf } from '#tests/support/visitors/served-site.ts'
import { at, customDomainOf, customEach, insert, type Row, siteAt } from './fill-names.ts'

/** The account with as many sites and custom domains as one may have. */
export const largestAccount = accountOf(10_000_000)
export const handleOfLargest = 'largest.example'

/** Jobs that ended within the day for which they are kept. */
const jobs = 100_000
const auditEntries = 100_000
const waitingItems = 100_000
/** Sites that are refused, taken down, parked, or of an account that is not active: of each so many. */
const exceptions = 1_000
const rowsAtOnce = 2_000

/** Adds what administrators read, to so many sites of `fillNames`; once. */
export async function fillLists(database: Database, sites: number): Promise<void> {
  const found = await database.db.selectFrom('auditEntries').select('id').limit(1).execute()
  if (found.length > 0) return
  for (const [table, count, rowOf] of tablesOf(sites)) {
    for (let from = 0; from < count; from += rowsAtOnce) {
      const length = Math.min(rowsAtOnce, count - from)
      await insert(
        database,
        table,
        Array.from({ length }, (_, n) => rowOf(from + n)),
      )
    }
  }
}

type Table = readonly [name: string, rows: number, rowOf: (n: number) => Row]

function tablesOf(sites: number): Table[] {
  const custom = Math.ceil(sites / customEach)
  const hiddenAt = (n: number) => siteOf('hidden', accountOf(20_000_000 + n))
  const ownAt = (n: number) => siteOf(`site-${n}`, largestAccount)
  return [
    // Last of all: who ends meanwhile begins anew.
    ['accounts', 1, () => accountRow(largestAccount, 'active', handleOfLargest)],
    ['sites', accountSitesMax, (n) => siteRow(ownAt(n))],
    ['versions', accountSitesMax, (n) => versionRow(ownAt(n))],
    ['subdomains', accountSitesMax, (n) => domainRow(ownAt(n), `own-${n}.localhost`)],
    ['custom_domains', customDomainsMax, (n) => customDomainRow(ownAt(n), n)],
    ['accounts', exceptions, (n) => accountRow(hiddenAt(n).did, 'deactivated', `hidden-${n}.test`)],
    ['sites', exceptions, (n) => siteRow(hiddenAt(n))],
    ['versions', exceptions, (n) => versionRow(hiddenAt(n))],
    ['versions', exceptions, (n) => ({ ...versionRow(siteAt(n * 7)), ...refused(n) })],
    ['takedowns', exceptions, (n) => takedownRow(siteAt(n * 11))],
    ['work_items', waitingItems, (n) => ({ ...itemRow, kind: 'account', did: siteAt(n * 4).did })],
    ['work_items', exceptions, (n) => ({ ...itemRow, ...parked, ...placeOf(siteAt(n * 13)) })],
    ['certificates', custom, (n) => certificateRow(customDomainOf(n * customEach))],
    ['jobs', jobs, jobRow],
    ['reports', openReportsMax, (n) => reportRow(n, 'open')],
    ['reports', handledReportsMax, (n) => reportRow(n, 'handled')],
    ['error_entries', errorEntriesMax, errorRow],
    ['audit_entries', auditEntries, auditRow],
  ]
}

const times = { created_at: at, updated_at: at }
type Address = ReturnType<typeof siteAt>
const placeOf = ({ did, name }: Address) => ({ did, site: name })
const idOf = ({ did, name }: Address): string => `version-${did}-${name}`

const accountRow = (did: string, status: string, handle: string): Row => ({
  ...{ did, handle, pds: 'https://pds.example', status, status_since: 0, last_check: 0 },
  ...times,
})

const siteRow = (site: Address): Row => ({
  ...{ ...site, ...times, label: siteLabel(site), live_version_id: idOf(site) },
})

const versionRow = (site: Address): Row => ({
  ...{ ...site, id: idOf(site), record_cid: 'cid', rev: '3kaaaaaaaaaa2', state: 'live' },
  ...{ problems: '[]', snapshot: encodeSnapshot(snapshotOf({}, site)) },
  ...{ file_count: 10, bytes: 10_000, published_at: at, seen_at: at },
})

const refused = (n: number): Row => ({
  ...{ id: `refused-${n}`, rev: '3kaaaaaaaaab2', state: 'invalid', snapshot: null },
  problems: JSON.stringify(['_redirects: no such file']),
})

const domainRow = (site: Address, domain: string): Row => ({
  ...{ domain, ...placeOf(site), is_primary: 0, ...times },
})

const customDomainRow = (site: Address, n: number): Row => ({
  ...domainRow(site, `own-${n}.example`),
  ...{ id: `own-${n}`, verified: 1, misses: 0, confirmed_at: at },
  next_check_at: Date.UTC(2100, 0, 1),
})

const takedownRow = (site: Address): Row => ({
  ...{ ...placeOf(site), label: siteLabel(site), status: 451, actor: 'ruth', at },
  reason: 'It asks for passwords',
})

const itemRow: Row = {
  ...{ kind: 'site', site: '', priority: 0, enqueued_at: at, attempts: 1, leased_until: 0 },
  ...{ next_attempt_at: at, token: 'token', line: '', not_before: 0, last_error: 'No answer' },
}
/** For ever. */
const parked = { next_attempt_at: Number.MAX_SAFE_INTEGER }

const certificateRow = (name: string): Row => ({
  ...{ name, is_wanted: 1, chain: 'x'.repeat(3_000), sealed_key: 'sealed', failures: 0 },
  ...{ valid_until: Date.UTC(2100, 0, 1), due_at: Date.UTC(2099, 0, 1), changed_at: at },
})

const jobRow = (n: number): Row => ({
  ...{ ...times, id: `job-${n}`, ...placeOf(siteAt(n)), instance: '', status: 'failed' },
  ...{ progress: JSON.stringify(progress), result: null, plan: '', started_at: at },
  ...{ finished_at: at, error: 'Your account’s server did not answer. Try again later.' },
})

const reportRow = (n: number, state: 'open' | 'handled'): Row => ({
  ...{ at, last_at: at, times: 1, url: `https://name-${n}.localhost/login.html` },
  ...{ ...placeOf(siteAt(n)), kind: 'phishing', text: complaint, state },
  ...{ contact: `visitor-${n}@example.org`, network_hash: `network-${n}` },
})
const complaint = 'This page looks like that of my bank, and asks for my password. '.repeat(3)

const errorRow = (n: number): Row => ({
  ...{ fingerprint: n.toString(16).padStart(32, '0'), service: 'main-app', count: n },
  message: `unhandled error: TypeError: row ${n} is not a function`,
  stack: '    at handle (/opt/sitehost/src/api/routes/a-file-of-it.ts:12:34)\n'.repeat(8),
  context: JSON.stringify({ ...placeOf(siteAt(n)), route: 'GET /api/user/sites' }),
  ...{ first_seen: at, last_seen: at + n, trace_ids: '[]' },
})

const auditRow = (n: number): Row => ({
  ...{ at, actor: 'ruth', action: 'site.take-down', details: '{"status":451}' },
  ...{ subject: `${siteAt(n).did}/site-${n}`, reason: 'A visitor reported it' },
})
