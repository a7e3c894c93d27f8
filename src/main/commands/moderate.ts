import { endSessions, setLimits } from '#admin/accounts.ts'
import { type By, reasonCharsMax } from '#admin/action.ts'
import { cancelPublish } from '#admin/cancel-publish.ts'
import { handleReport, outcomeCharsMax } from '#admin/handle-report.ts'
import { allowAccount, disallowAccount, invite } from '#admin/invitations.ts'
import { recheckDomain, releaseName } from '#admin/names.ts'
import { purgeSiteBlobs, retrySite, verifySiteBlobs } from '#admin/sites.ts'
import { bringBack, takeOffline } from '#admin/take-offline.ts'
import type { ModerationAction, ModerationOptions } from '#cli/moderation-program.ts'
import { foldDomain } from '#domains/domain-name.ts'
import { StartError } from '#main/process/start-failure.ts'
import { Spool } from '#publish/upload/spool.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { findAccount, findDidByHandle } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { findLimitOverrides, type LimitOverrides } from '#store/moderation/account-limits.ts'
import { listAuditEntries } from '#store/moderation/audit.ts'
import { listReports } from '#store/moderation/list-reports.ts'
import { listTakedowns } from '#store/moderation/takedowns.ts'
import { commandLineActor } from './command-line-actor.ts'
import { parseAddress } from './repair.ts'
import { openUpkeep, type Upkeep } from './upkeep.ts'

const listedMax = 200

type Command = Parameters<ModerationAction>[0]
type Run = (subject: string, options: ModerationOptions, given: Given) => Promise<string>

interface Given {
  readonly context: Upkeep
  readonly by: By
}

/**
 * Runs an administrator's command, also while the service runs: that sees the change within a second. Throws StartError
 * with what went wrong.
 */
export async function runModeration(
  command: Command,
  subject: string,
  options: ModerationOptions,
  signal: AbortSignal,
): Promise<void> {
  const reason = textOf('reason', options.reason, reasonCharsMax)
  const outcome = textOf('outcome', options.outcome, outcomeCharsMax)
  await using context = await openUpkeep({ ...options, isLogged: true }, signal)
  const by = { actor: commandLineActor(), reason }
  console.log(await runs[command](subject, { ...options, outcome }, { context, by }))
}

/** Trimmed, as over the API. Commands that do not have the option get an empty string. */
function textOf(option: string, given: string | undefined, charsMax: number): string {
  if (given === undefined) return ''
  const text = given.trim()
  if (text.length >= 1 && text.length <= charsMax) return text
  throw new StartError(`--${option}: from 1 to ${charsMax} characters`)
}

const runs: Record<Command, Run> = {
  'site take-down': async (subject, { status }, { by, context }) => {
    const { did, name } = parseAddress(subject)
    await takeOffline({ did, site: name }, status === '404' ? 404 : 451, by, context)
    return `${did}/${name} is offline`
  },
  'site bring-back': async (subject, _, { by, context }) => {
    const { did, name } = parseAddress(subject)
    const takedown = await bringBack({ did, site: name }, by, context)
    return found(takedown, `${subject} is not taken down on its own`) && `${subject} is back`
  },
  'site retry': async (subject, _, { by, context }) => {
    const isKnown = await retrySite(parseAddress(subject), by, context)
    return found(isKnown, 'its account is not known here') && `${subject} will be read`
  },
  'site purge': async (subject, _, { by, context }) => {
    const count = found(
      await purgeSiteBlobs(parseAddress(subject), by, context),
      'nothing of it is stored here',
    )
    if (count === 'busy') throw new StartError('another purge is running: wait until it has ended')
    return `${count.removed} blobs removed; ${count.kept} stay, which other sites name too`
  },
  'site verify': async (subject, _, { by, context }) => {
    const count = found(
      await verifySiteBlobs(parseAddress(subject), by, context),
      'no version of it is live here',
    )
    return `${count.damaged} of ${count.files} files were damaged; they are fetched again`
  },

  'account take-down': async (subject, { status }, { by, context }) => {
    const did = await accountOf(subject, context.db)
    await takeOffline({ did, site: '' }, status === '404' ? 404 : 451, by, context)
    return `${did} is offline`
  },
  'account bring-back': async (subject, _, { by, context }) => {
    const did = await accountOf(subject, context.db)
    const takedown = await bringBack({ did, site: '' }, by, context)
    return found(takedown, `${did} is not taken down`) && `${did} is back`
  },
  'account end-sessions': async (subject, _, { by, context }) => {
    const did = await accountOf(subject, context.db)
    await endSessions(did, by, context)
    return `${did} is signed out everywhere`
  },
  'account limits': async (subject, { sites, bytes, uploads }, { by, context }) => {
    const did = await accountOf(subject, context.db)
    const own = await findLimitOverrides(context.db, did)
    const limits = {
      sitesMax: limitOf(sites, own.sitesMax),
      bytesMax: limitOf(bytes, own.bytesMax),
      uploadsPerDayMax: limitOf(uploads, own.uploadsPerDayMax),
    }
    await setLimits(did, limits, by, context)
    return limitsLine(limits)
  },
  'account show': async (subject, _, { context: { db } }) => {
    const did = await accountOf(subject, db)
    const account = await findAccount(db, did)
    const takedowns = await listTakedowns(db, did)
    return [
      `account    ${did}  ${account?.handle ?? ''}`,
      `status     ${account?.status ?? 'not known here'}`,
      `limits     ${limitsLine(await findLimitOverrides(db, did))}`,
      ...takedowns.map(
        ({ site, status, reason, actor }) =>
          `offline    ${site || 'all sites'}  ${status}  ${actor}  ${quoted(reason)}`,
      ),
    ].join('\n')
  },
  'account allow': async (subject, _, { by, context }) => {
    const isAdded = await allowAccount(accountNameOf(subject), by, context)
    return found(isAdded, 'the list is full') && `${subject} may sign in`
  },
  'account disallow': async (subject, _, { by, context }) => {
    const isRemoved = await disallowAccount(accountNameOf(subject), by, context)
    return found(isRemoved, `${subject} is not on the list`) && `${subject} may not sign in`
  },

  'domain recheck': async (subject, _, { by, context }) => {
    const { baseDomain } = context.config
    const domain = found(foldDomain(subject), `${subject} is not a domain`)
    const verification = found(
      await recheckDomain(domain, by, { ...context, baseDomain }),
      `nobody has added ${domain}`,
    )
    return verification.verified
      ? `${domain} is verified`
      : `${domain} is not verified: ${verification.reason}`
  },
  'domain release': async (subject, _, { by, context }) => {
    const domain = found(foldDomain(subject), `${subject} is not a name`)
    const isReleased = await releaseName(domain, by, context)
    return found(isReleased, `nobody has ${domain}`) && `everybody may claim ${domain} now`
  },
  'job cancel': async (subject, _, { by, context }) => {
    const spool = new Spool(`${context.config.dataDir}/spool`)
    const isId = /^[0-9a-f-]{36}$/.test(subject)
    const outcome = isId ? await cancelPublish(subject, by, { ...context, spool }) : null
    if (outcome === 'too-late') throw new StartError('too late: the site is being written already')
    if (outcome === 'ended') throw new StartError('this upload has ended already')
    return found(outcome, 'there is no such upload') && `${subject} is cancelled`
  },

  'report list': async (_, _options, { context: { db } }) => {
    const reports = await listReports(db, { state: 'open', limit: listedMax })
    const lines = reports.map(({ id, did, site, kind, text, times, at }) =>
      [id, isoOf(at), kind, `${did}/${site}`, `${times} times`, quoted(text)].join('  '),
    )
    return lines.length === 0 ? 'no open reports' : lines.join('\n')
  },
  'report handle': async (subject, { outcome = '' }, { by, context }) => {
    const id = /^\d{1,15}$/.test(subject) ? Number(subject) : 0
    const report = await handleReport(id, outcome, by, context)
    return found(report, 'there is no such open report') && `report ${id} is closed`
  },
  invite: async (_, { days = 7 }, { by, context }) => {
    const made = found(await invite(days, by, context), 'too many invitations are open')
    return `${context.config.origin}/invitation/${made.code}`
  },
  audit: async (_, { search = '' }, { context: { db } }) => {
    const entries = await listAuditEntries(db, { search, limit: listedMax })
    const lines = entries.map(({ at, actor, action, subject, reason }) =>
      [isoOf(at), actor, action, subject, quoted(reason)].join('  '),
    )
    return lines.length === 0 ? 'nothing' : lines.join('\n')
  },
}

/** The result of an action that found its subject; throws StartError for null and false. */
function found<Result>(result: Result, problem: string): Exclude<Result, null | false> {
  if (result === null || result === false) throw new StartError(problem)
  return result as Exclude<Result, null | false>
}

async function accountOf(input: string, db: Db): Promise<Did> {
  const name = accountNameOf(input)
  const did = parseDid(name) ?? (await findDidByHandle(db, name))
  return found(did, `no account with the handle ${name} is known here; give its DID`)
}

function accountNameOf(input: string): string {
  const name = input.replace(/^@/, '')
  if (parseDid(name) !== null) return name
  const handle = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name) ? name.toLowerCase() : null
  return found(handle, `${JSON.stringify(input)} is neither a DID nor a handle`)
}

const limitOf = (given: number | 'default' | undefined, own: number | null): number | null => {
  if (given === undefined) return own
  return given === 'default' ? null : given
}

const limitsLine = (limits: LimitOverrides): string =>
  Object.entries(limits)
    .map(([name, value]) => `${name} ${value ?? 'default'}`)
    .join('  ')

// What others wrote must not move the terminal's cursor, nor reorder the line.
const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\p{Cc}\p{Cf}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  )

const isoOf = (at: number): string => new Date(at).toISOString()
