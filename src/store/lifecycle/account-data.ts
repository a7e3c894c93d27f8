import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { JobProgress, JobResult } from '#store/queues/jobs.ts'
import {
  selectVersionRecords,
  type VersionRecord,
  versionRecordOf,
} from '#store/sites/version-records/version-records.ts'

// Rows for the account's export that nothing else lists: no secrets, and nothing that lets somebody sign in.

/** The account's jobs, oldest first, without what only serves to run them. */
export async function listAccountJobs(db: Db, did: Did) {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'site', 'status', 'progress', 'result', 'error', 'createdAt', 'finishedAt'])
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(({ progress, result, ...row }) => ({
    ...row,
    progress: JSON.parse(progress) as JobProgress,
    result: result === null ? null : (JSON.parse(result) as JobResult),
  }))
}

/** The account's deploys that are open or were committed within a day, oldest first. `plan` has their files; null: the job has ended. */
export async function listAccountDeploys(db: Db, did: Did) {
  const rows = await db
    .selectFrom('deploys')
    .select(['id', 'site', 'plan', 'bytes', 'createdAt', 'expiresAt', 'committedAt'])
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(({ plan, ...row }) => ({
    ...row,
    plan: plan === '' ? null : (JSON.parse(plan) as unknown),
  }))
}

/** When the account signed in with which browser, oldest first. */
export async function listAccountSessions(db: Db, did: Did) {
  return await db
    .selectFrom('browserSessions')
    .select(['device', 'createdAt', 'seenAt', 'expiresAt'])
    .where('did', '=', did)
    .orderBy('createdAt')
    .execute()
}

/** The account's deploy tokens, oldest first. */
export async function listAccountTokens(db: Db, did: Did) {
  return await db
    .selectFrom('deployTokens')
    .select(['site', 'name', 'scope', 'createdAt', 'expiresAt', 'usedAt', 'endedBy'])
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** Whose jobs may deploy the account's sites, oldest first. */
export async function listAccountPublishers(db: Db, did: Did) {
  return await db
    .selectFrom('publishers')
    .select(['site', 'issuer', 'repository', 'repositoryId', 'ref', 'environment', 'scope'])
    .select(['createdAt', 'usedAt'])
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** The account's webhooks, oldest first, without their secrets. */
export async function listAccountWebhooks(db: Db, did: Did) {
  const rows = await db
    .selectFrom('webhooks')
    .select(['site', 'url', 'events', 'disabledBy', 'failingSince', 'skipped', 'createdAt'])
    .where('did', '=', did)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(({ events, ...row }) => ({ ...row, events: JSON.parse(events) as string[] }))
}

/** The deliveries of the account's webhooks, oldest first. */
export async function listAccountDeliveries(db: Db, did: Did) {
  const rows = await db
    .selectFrom('webhookDeliveries')
    .innerJoin('webhooks', 'webhooks.id', 'webhookDeliveries.webhookId')
    .select(['url', 'event', 'message', 'state', 'attempts', 'attemptedAt', 'status', 'failure'])
    .select('webhookDeliveries.createdAt')
    .where('webhookDeliveries.did', '=', did)
    .orderBy('webhookDeliveries.id')
    .execute()
  return rows.map(({ message, ...row }) => ({ ...row, message: JSON.parse(message) as unknown }))
}

/** What visitors took of the account's sites, by day; `site` empty: of all together. */
export async function listAccountTraffic(db: Db, did: Did) {
  return await db
    .selectFrom('siteTraffic')
    .select(['site', 'day', 'requests', 'bytes', 'refused'])
    .where('did', '=', did)
    .orderBy('day')
    .orderBy('site')
    .execute()
}

/** Blobs that the account has uploaded here, or its server has sent, within a day. */
export async function listAccountReceived(db: Db, did: Did) {
  return await db
    .selectFrom('receivedBlobs')
    .select(['cid', 'receivedAt'])
    .distinct()
    .where('did', '=', did)
    .orderBy('receivedAt')
    .orderBy('cid')
    .execute()
}

/** Blobs on the account's server that no record names yet. */
export async function listAccountUploads(db: Db, did: Did) {
  const rows = await db
    .selectFrom('uploadedBlobs')
    .select(['blob', 'uploadedAt'])
    .where('did', '=', did)
    .orderBy('uploadedAt')
    .orderBy('decodedHash')
    .execute()
  return rows.map(({ blob, uploadedAt }) => ({ blob: JSON.parse(blob) as BlobRef, uploadedAt }))
}

/** The account's version records, newest first. */
export async function listAccountVersionRecords(db: Db, did: Did): Promise<VersionRecord[]> {
  const rows = await selectVersionRecords(db)
    .where('did', '=', did)
    .orderBy('key', 'desc')
    .execute()
  return rows.map(versionRecordOf)
}

/** The account's sites that wait to be read. */
export async function listAccountQueue(db: Db, did: Did) {
  return await db
    .selectFrom('workItems')
    .select(['site as name', 'enqueuedAt', 'attempts', 'lastError'])
    .where('did', '=', did)
    .where('kind', '=', 'site')
    .orderBy('site')
    .execute()
}

/** The snapshot of one of the account's versions; null when it is no longer kept. */
export async function findSnapshotText(db: Db, did: Did, versionId: string) {
  const row = await db
    .selectFrom('versions')
    .select('snapshot')
    .where('id', '=', versionId)
    .where('did', '=', did)
    .executeTakeFirst()
  return row?.snapshot ?? null
}
