import type { Identity } from '#atproto/identity/identity.ts'
import { listRecordCids } from '#atproto/repo/list-records.ts'
import type { QueryContext } from '#atproto/repo/public-query.ts'
import { accountVersionRecordsMax } from '#site/limits.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import { isVisitedOnly } from '#store/lifecycle/visited-accounts.ts'
import { type EnqueueContext, enqueueVersions } from '#store/queues/enqueue.ts'
import { knownVersionKeys } from '#store/sites/version-records/version-records.ts'
import { versionCollection } from './ingest-version.ts'

/**
 * Enqueues the account's version records that are not stored here as its server lists them, removed ones included. None
 * of an unknown account, or one that is only visited. Throws as `publicQuery` does.
 */
export async function enqueueChangedVersions(
  identity: Identity,
  context: QueryContext & EnqueueContext,
): Promise<void> {
  const keys = await listChanged(identity, context)
  await enqueueVersions(
    context,
    keys.map((key) => ({ did: identity.did, key })),
  )
}

async function listChanged(
  identity: Identity,
  context: QueryContext & EnqueueContext,
): Promise<VersionKey[]> {
  const { db } = context
  const { did } = identity
  if (!(await isKnownAccount(db, did)) || (await isVisitedOnly(db, did))) return []
  const collection = { collection: versionCollection, recordsMax: accountVersionRecordsMax }
  const cids = await listRecordCids(identity, collection, context)
  const known = await knownVersionKeys(db, did)
  const listed = [...cids].flatMap(([rkey, cid]) => {
    const key = parseVersionKey(rkey)
    if (key === null) return []
    const knownCid = known.get(key) ?? null
    // A server that sends no CIDs: an edited record is read after its event.
    return knownCid === null || (cid !== null && cid !== knownCid) ? key : []
  })
  const removed = known.keys().filter((key) => !cids.has(key))
  return [...listed, ...removed]
}
