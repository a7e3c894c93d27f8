import { recordEvent } from '#observe/events.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import type { TakedownStatus } from '#store/database/tables/moderation-tables.ts'
import {
  putTakedown,
  removeTakedown,
  type Takedown,
  type TakedownSubject,
} from '#store/moderation/takedowns.ts'
import { tellAccount, tellNames } from '#store/names/tell-names.ts'
import { type EnqueueContext, enqueueAccounts, enqueueSites } from '#store/queues/enqueue.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { type AdminContext, audited, type By } from './action.ts'

/**
 * Takes a site, or with an empty `site` a whole account, offline here, known or not: visitors get the status within a
 * second, on every host and for every later version too. Its owner's repository stays as it is.
 */
export async function takeOffline(
  subject: TakedownSubject,
  status: TakedownStatus,
  by: By,
  context: AdminContext,
): Promise<void> {
  const { now, wakeUps } = context
  const details = { status }
  await audited({ ...named(subject, 'take-down'), details }, by, context, async (transaction) => {
    await putTakedown(transaction, { ...subject, ...by, status, at: now() })
    const told = { did: subject.did, site: subject.site || null, status }
    await appendWebhookEvent(transaction, 'site.taken_down', told, now())
    await tellEdgeOf(subject, { ...context, db: transaction })
  })
  wakeUps.notify('changes')
  recordEvent(context.log, 'taken_down', factsOf(subject, by))
}

/** Ends the takedown of exactly this site or account, and has it read again; null: there is none. */
export async function bringBack(
  subject: TakedownSubject,
  by: By,
  context: AdminContext,
): Promise<Takedown | null> {
  const takedown = await audited(named(subject, 'bring-back'), by, context, async (transaction) => {
    const removed = await removeTakedown(transaction, subject)
    if (removed === null) return null
    await enqueueWhatCameMeanwhile(subject, { ...context, db: transaction })
    await tellEdgeOf(subject, { ...context, db: transaction })
    return removed
  })
  context.wakeUps.notify('changes')
  if (takedown !== null) recordEvent(context.log, 'brought_back', factsOf(subject, by))
  return takedown
}

const factsOf = ({ did, site }: TakedownSubject, by: By) => ({ did, site: site || null, ...by })

const named = ({ did, site }: TakedownSubject, verb: string) =>
  site === ''
    ? { action: `account.${verb}`, subject: did }
    : { action: `site.${verb}`, subject: `${did}/${site}` }

// While it was offline nothing was ingested, and its blobs may have been purged.
async function enqueueWhatCameMeanwhile(
  { did, site }: TakedownSubject,
  context: EnqueueContext,
): Promise<void> {
  if (!(await isKnownAccount(context.db, did))) return
  if (site === '') await enqueueAccounts(context, [did], { isUrgent: true })
  else await enqueueSites(context, [{ did, name: site }])
}

// Last in the transaction: others that append changes wait for its end.
async function tellEdgeOf(
  { did, site }: TakedownSubject,
  { db, now }: Pick<AdminContext, 'db' | 'now'>,
): Promise<void> {
  if (site === '') await tellAccount(db, did, now())
  else await tellNames(db, { did, name: site }, now())
}
