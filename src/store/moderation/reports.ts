import type { Selectable } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { storableText } from '#store/database/storable-text.ts'
import type { ModerationTables, ReportKind } from '#store/database/tables/moderation-tables.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'

/** Open reports: of all sites, of one account's sites, and from one network. */
export const openReportsMax = 10_000
export const openReportsOfAccountMax = 300
export const openReportsOfNetworkMax = 50
/** The newest handled reports that are kept. */
export const handledReportsMax = 10_000

/** A visitor's complaint about a site. */
export type Report = Readonly<Selectable<ModerationTables['reports']>>

export interface NewReport {
  readonly url: string
  readonly site: SiteAddress
  readonly kind: ReportKind
  readonly text: string
  readonly contact: string | null
  readonly networkHash: string
}

export interface ReportBounds {
  readonly openMax: number
  readonly ofAccountMax: number
  readonly ofNetworkMax: number
}

const bounds: ReportBounds = {
  openMax: openReportsMax,
  ofAccountMax: openReportsOfAccountMax,
  ofNetworkMax: openReportsOfNetworkMax,
}

/**
 * `merged`: counted with the open report of the same network, kind and site. `replaced`: stored in place of another
 * open report. `network-full` and `full`: not stored.
 */
export type ReportOutcome = 'stored' | 'merged' | 'replaced' | 'network-full' | 'full'

/**
 * Stores an open report; no later one changes its texts. An account with `ofAccountMax` gets it in place of the newest
 * report of its most reported site. With `openMax`, only a site without an open report gets one, in place of the newest
 * report of the most reported account, so that nobody can keep a site from being reported.
 */
export function addReport(
  db: Db,
  report: NewReport,
  now: number,
  { ofNetworkMax, ...others }: ReportBounds = bounds,
): Promise<ReportOutcome> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, 'reports')
    const { did, name } = report.site
    const ofNetwork = await openReportsFrom(transaction, report.networkHash)
    const same = ofNetwork.find(
      (other) => other.did === did && other.site === name && other.kind === report.kind,
    )
    if (same !== undefined) {
      await countAgain(transaction, same, now)
      return 'merged'
    }
    if (ofNetwork.length >= ofNetworkMax) return 'network-full'
    const outcome = await makePlace(transaction, report.site, others)
    if (outcome !== 'full') await insertReport(transaction, report, now)
    return outcome
  })
}

const openReports = (db: Db) => db.selectFrom('reports').where('state', '=', 'open')

type OpenReports = ReturnType<typeof openReports>

async function openReportsFrom(db: Db, networkHash: string) {
  return await openReports(db)
    .select(['id', 'did', 'site', 'kind', 'times'])
    .where('networkHash', '=', networkHash)
    .execute()
}

async function countAgain(
  db: Db,
  { id, times }: Pick<Report, 'id' | 'times'>,
  now: number,
): Promise<void> {
  await db
    .updateTable('reports')
    .set({ lastAt: now, times: times + 1 })
    .where('id', '=', id)
    .execute()
}

/** Deletes the report that a new one about this site replaces, if any. */
async function makePlace(
  db: Db,
  { did, name }: SiteAddress,
  { openMax, ofAccountMax }: Omit<ReportBounds, 'ofNetworkMax'>,
): Promise<'stored' | 'replaced' | 'full'> {
  const ofAccount = openReports(db).where('did', '=', did)
  if ((await countOf(ofAccount)) >= ofAccountMax) {
    await deleteNewestOfMost(db, ofAccount, 'site')
    return 'replaced'
  }
  if ((await countOpenReports(db)) < openMax) return 'stored'
  if ((await countOf(ofAccount.where('site', '=', name))) > 0) return 'full'
  await deleteNewestOfMost(db, openReports(db), 'did')
  return 'replaced'
}

/** Of the account or site with the most of these reports. */
async function deleteNewestOfMost(
  db: Db,
  reports: OpenReports,
  group: 'did' | 'site',
): Promise<void> {
  const newest = reports
    .select(({ fn }) => fn.max('id').as('newest'))
    .groupBy(group)
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .orderBy('newest', 'desc')
    .limit(1)
  // It may have been handled meanwhile: a handled report stays.
  await db.deleteFrom('reports').where('id', '=', newest).where('state', '=', 'open').execute()
}

async function insertReport(db: Db, report: NewReport, now: number): Promise<void> {
  const { site, kind, networkHash, contact } = report
  await db
    .insertInto('reports')
    .values({
      at: now,
      lastAt: now,
      times: 1,
      url: storableText(report.url),
      did: site.did,
      site: site.name,
      kind,
      text: storableText(report.text),
      contact: contact === null ? null : storableText(contact),
      networkHash,
      state: 'open',
      handledBy: null,
      handledAt: null,
      outcome: null,
    })
    .execute()
}

export const countOpenReports = (db: Db): Promise<number> => countOf(openReports(db))

async function countOf(reports: OpenReports): Promise<number> {
  const { count } = await reports
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface Handling {
  readonly handledBy: string
  readonly outcome: string
  readonly now: number
}

/** Closes an open report and forgets the network that it came from; null: there is no open one with this id. */
export async function handleReport(
  db: Db,
  id: number,
  { handledBy, outcome, now }: Handling,
  keptMax: number = handledReportsMax,
): Promise<Report | null> {
  return await inTransaction(db, async (transaction) => {
    const report = await transaction
      .updateTable('reports')
      .set({
        state: 'handled',
        handledBy,
        handledAt: now,
        outcome: storableText(outcome),
        networkHash: null,
      })
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returningAll()
      .executeTakeFirst()
    if (report === undefined) return null
    const kept = transaction
      .selectFrom('reports')
      .select('id')
      .where('state', '=', 'handled')
      .orderBy('handledAt', 'desc')
      .orderBy('id', 'desc')
      .limit(keptMax)
    await transaction
      .deleteFrom('reports')
      .where('state', '=', 'handled')
      .where('id', 'not in', kept)
      .execute()
    return report
  })
}
