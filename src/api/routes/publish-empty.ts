import type { ApiContext } from '#api/context.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { recordEvent } from '#observe/events.ts'
import { newVersion, versionScope } from '#publish/new-version.ts'
import { publishEmptySite } from '#publish/publish-site.ts'
import type { ReceivedUpload } from '#publish/upload/receive-upload.ts'
import type { Did } from '#site/site-address.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { awaitWithdrawal } from '#store/sites/withdrawals.ts'

/** Publishes an upload without files within its request: there is no job. */
export async function publishEmpty(
  did: Did,
  { siteName, retain }: ReceivedUpload,
  context: ApiContext,
  signal: AbortSignal,
) {
  const { at, db, log, now, oauth, pause } = context
  const address = { did, name: siteName }
  const facts = { did, site: siteName, files: 0, bytes: 0 }
  const startedAt = now()
  recordEvent(log, 'publish_started', facts)
  const repo = new AccountRepo(did, oauth.session)
  const mayKeep = (await oauth.scopeOf(did)).has(versionScope)
  const version = mayKeep ? newVersion(startedAt) : null
  const { uri, cid } = await publishEmptySite(address, { repo, now, pause, at, signal }, version)
  const seconds = (now() - startedAt) / 1000
  recordEvent(log, 'publish_ended', { ...facts, version: cid, seconds })
  if (!retain) await awaitWithdrawal(db, address, cid)
  await enqueueSites(context, [address])
  return { success: true as const, uri, cid, fileCount: 0 as const, siteName }
}
