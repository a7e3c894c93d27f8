import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { listMissing, type NeededContent, needContents } from './deploy-contents.ts'
import { endJob } from './job-steps.ts'
import { createJob, type JobAdmission, type NewJob, type NewJobOptions } from './jobs.ts'

/** An upload in pieces: open while its files arrive, then committed, which makes it a job with the same id. */
export type Deploy = Readonly<Selectable<Schema['deploys']>>

export type NewDeploy = Omit<Deploy, 'createdAt' | 'committedAt' | 'instance'> &
  Partial<Pick<Deploy, 'instance'>>

/** Without its plan, which can be 2 MB. */
export type DeployFacts = Omit<Deploy, 'plan'>

const deployFacts = [
  ...(['id', 'did', 'site', 'instance', 'bytes'] as const),
  ...(['createdAt', 'expiresAt', 'committedAt', 'isPreview'] as const),
] as const

/** Creates an open deploy; false when the account has `openMax` of them. Throws AccountDeletedHereError. */
export function createDeploy(
  db: Db,
  deploy: NewDeploy,
  needed: readonly NeededContent[],
  { openMax, now }: { readonly openMax: number; readonly now: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await lockOrThrowIfDeletedHere(transaction, deploy.did)
    await lockUntilCommit(transaction, `deploys ${deploy.did}`)
    const { open } = await transaction
      .selectFrom('deploys')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('did', '=', deploy.did)
      .where('committedAt', 'is', null)
      .where('expiresAt', '>', now)
      .executeTakeFirstOrThrow()
    if (Number(open) >= openMax) return false
    const row = { ...deploy, createdAt: now, committedAt: null }
    await transaction.insertInto('deploys').values(row).execute()
    await needContents(transaction, deploy.id, needed)
    return true
  })
}

/** Null for one that is unknown, or was not committed in time. */
export async function findDeploy(db: Db, id: string, now: number): Promise<DeployFacts | null> {
  const row = await db
    .selectFrom('deploys')
    .select(deployFacts)
    .where('id', '=', id)
    .executeTakeFirst()
  const isOver = row?.committedAt === null && row.expiresAt <= now
  return row === undefined || isOver ? null : row
}

/** Whose deploy it is, and the instance whose spool has its files; null for one that is unknown. */
export async function findDeployPlace(db: Db, id: string) {
  const row = db.selectFrom('deploys').select(['did', 'instance']).where('id', '=', id)
  return (await row.executeTakeFirst()) ?? null
}

/** Null for a deploy that is gone, or whose job has ended. */
export async function findDeployPlan(db: Db, id: string): Promise<string | null> {
  const row = db.selectFrom('deploys').select('plan').where('id', '=', id)
  return (await row.executeTakeFirst())?.plan || null
}

/** All contents of an open deploy are missing again; false for a deploy that is not open. */
export function forgetArrived(db: Db, deployId: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await lockIfOpen(transaction, deployId))) return false
    await transaction
      .updateTable('deployFiles')
      .set({ pack: null, offset: null })
      .where('deployId', '=', deployId)
      .execute()
    return true
  })
}

/** Holds the deploy's mutex until the transaction ends. */
async function lockIfOpen(
  transaction: Parameters<typeof lockUntilCommit>[0],
  id: string,
): Promise<boolean> {
  await lockUntilCommit(transaction, `deploy ${id}`)
  const open = transaction.selectFrom('deploys').select('id').where('id', '=', id)
  return (await open.where('committedAt', 'is', null).executeTakeFirst()) !== undefined
}

export type DeployCommit =
  | JobAdmission
  /** Somebody else has committed or deleted it, or some of its files are gone again. */
  | { readonly created: false; readonly reason: 'not-ready' }

/** Makes an open deploy without missing contents a job, whose id is the deploy's, as `createJob` does. */
export function commitDeploy(db: Db, job: NewJob, options: NewJobOptions): Promise<DeployCommit> {
  return inTransaction(db, async (transaction): Promise<DeployCommit> => {
    const isReady =
      (await lockIfOpen(transaction, job.id)) &&
      (await listMissing(transaction, job.id)).length === 0
    if (!isReady) return { created: false, reason: 'not-ready' }
    const admission = await createJob(transaction, job, options)
    if (admission.created) {
      await transaction
        .updateTable('deploys')
        .set({ committedAt: options.now })
        .where('id', '=', job.id)
        .execute()
    }
    return admission
  })
}

/**
 * Ends a deploy's job with this sentence; the deploy is open again until `expiresAt`, and these contents are missing.
 * False when the job has ended before, or the deploy is unknown.
 */
export function reopenDeploy(
  db: Db,
  id: string,
  missing: readonly NeededContent[],
  { error, expiresAt, now }: { error: string; expiresAt: number; now: number },
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `deploy ${id}`)
    if (!(await endJob(transaction, id, { status: 'failed', error }, now))) return false
    const { numUpdatedRows } = await transaction
      .updateTable('deploys')
      .set({ committedAt: null, expiresAt })
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await needContents(transaction, id, missing)
    return true
  })
}

/** False for a deploy that is not open: it is deleted with its job. */
export function deleteDeploy(db: Db, id: string): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await lockIfOpen(transaction, id))) return false
    await transaction.deleteFrom('deploys').where('id', '=', id).execute()
    return true
  })
}

/** The instance's open deploys of all accounts, by their ids; of the only one without an `instance`. */
export async function listOpenDeploys(db: Db, now: number, instance = ''): Promise<string[]> {
  const rows = await db
    .selectFrom('deploys')
    .select('id')
    .where('instance', '=', instance)
    .where('committedAt', 'is', null)
    .where('expiresAt', '>', now)
    .execute()
  return rows.map(({ id }) => id)
}

/** Of these ids, those of deploys, open or committed. */
export async function deploysAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>()
  for (const chunk of chunksOf(ids)) {
    const rows = await db.selectFrom('deploys').select('id').where('id', 'in', chunk).execute()
    for (const { id } of rows) known.add(id)
  }
  return known
}

/** The ids of the account's deploys: their folders in the spool go with the account. */
export async function listDeployIds(db: Db, did: Did): Promise<string[]> {
  const rows = await db.selectFrom('deploys').select('id').where('did', '=', did).execute()
  return rows.map(({ id }) => id)
}

/** Deletes the instance's deploys whose time is over, unless their jobs still run; returns their ids. */
export async function deleteExpiredDeploys(db: Db, now: number, instance = ''): Promise<string[]> {
  const due = await selectExpired(db, now).where('instance', '=', instance).orderBy('id').execute()
  const deleted: string[] = []
  for (const chunk of chunksOf(due, expiredAtOnce)) {
    const ids = chunk.map(({ id }) => id)
    deleted.push(...(await inTransaction(db, (within) => deleteIfExpired(within, ids, now))))
  }
  return deleted
}

/** Deploys that are deleted in one transaction, for which other writers wait. */
const expiredAtOnce = 100

const selectExpired = (db: Db, now: number) =>
  db
    .selectFrom('deploys')
    .select('id')
    .where('expiresAt', '<=', now)
    .where('id', 'not in', db.selectFrom('jobs').select('id').where('finishedAt', 'is', null))

/** A commit meanwhile has made a job of the deploy, which needs its files. */
async function deleteIfExpired(
  transaction: Parameters<typeof lockUntilCommit>[0],
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  for (const id of ids) await lockUntilCommit(transaction, `deploy ${id}`)
  const rows = await transaction
    .deleteFrom('deploys')
    .where('id', 'in', ids)
    .where('id', 'in', selectExpired(transaction, now))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
