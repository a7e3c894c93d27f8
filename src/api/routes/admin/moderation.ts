import type { Context } from 'hono'
import type { z } from 'zod'
import { handleReport } from '#admin/handle-report.ts'
import { allowAccount, disallowAccount, invite, withdrawInvitation } from '#admin/invitations.ts'
import type { HandlersOf } from '#api/bind-routes.ts'
import { readText } from '#api/body.ts'
import type { ApiContext, ApiEnv } from '#api/context.ts'
import type { moderationRoutes } from '#api/contract/admin/moderation.ts'
import { reportBody, reportTextCharsMax } from '#api/contract/admin/report-rows.ts'
import { jsonBytesMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { reportPage, reportSentPage } from '#api/document/report-page.ts'
import { ApiError } from '#api/errors.ts'
import { isoOf, isoOrNull } from '#api/routes/iso-of.ts'
import { clientNetworkOf } from '#http/client-address.ts'
import { recordEvent } from '#observe/events.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { parseDid } from '#site/site-address.ts'
import { listAllowedAccounts } from '#store/moderation/allowed-accounts.ts'
import { listAuditEntries } from '#store/moderation/audit.ts'
import { type Invitation, listInvitations } from '#store/moderation/invitations.ts'
import { listReports } from '#store/moderation/list-reports.ts'
import { addReport, type Report } from '#store/moderation/reports.ts'
import { by } from './admin-actions.ts'

/** Visitors’ reports, the audit, and who may sign in. */
export function moderationHandlers(context: ApiContext): HandlersOf<typeof moderationRoutes> {
  const { db, keys, now, origin, signIn, siteAt, trustedProxies } = context
  // Anybody can cause these.
  const log = rateLimitedLog(context.log)
  const done = { success: true } as const

  /** False: no site is at that address. Throws ApiError 429 and 503 when too many reports wait. */
  async function receive(body: z.output<typeof reportBody>, c: Context<ApiEnv>): Promise<boolean> {
    const { url, kind, text } = body
    const site = await siteAt(url)
    if (site === null) return false
    const network = clientNetworkOf(c.req.raw, c.env?.server, trustedProxies)
    const networkHash = keys.sign('report-network', network)
    const contact = body.contact || null
    const outcome = await addReport(db, { url, site, kind, text, contact, networkHash }, now())
    const facts = { did: site.did, site: site.name, reason: kind, outcome }
    recordEvent(log, 'report_received', facts)
    const later = { 'retry-after': '86400' }
    if (outcome === 'network-full') throw new ApiError(429, sentences.reportsOfNetwork, later)
    if (outcome === 'full') throw new ApiError(503, sentences.reportsFull, later)
    return true
  }

  return {
    report: async ({ body, answer, c }) => {
      if (!(await receive(body, c))) throw new ApiError(404, sentences.reportElsewhere)
      return answer(200, done)
    },
    readReportPage: ({ query, answer, c }) => {
      const url = query.url ?? c.req.header('referer')
      return answer(200, reportPage({ url }, null))
    },
    sendReportPage: async ({ answer, c }) => {
      const form = new URLSearchParams(await readText(c.req.raw, jsonBytesMax))
      const draft = Object.fromEntries(form)
      const body = reportBody.safeParse(draft)
      if (!body.success) return answer(400, reportPage(draft, incomplete))
      if (await receive(body.data, c)) return answer(200, reportSentPage())
      return answer(404, reportPage(draft, sentences.reportElsewhere))
    },
    listReports: async ({ query: { limit, cursor, ...filter }, answer }) => {
      const page = { limit: limit + 1, before: idOf(cursor) }
      const found = await listReports(db, { ...filter, ...page })
      const { rows, last } = pageOf(found, limit)
      return answer(200, { reports: rows.map(reportRow), cursor: last && String(last.id) })
    },
    handleReport: async ({ params, body, session, answer }) => {
      const id = idOf(params.id) ?? 0
      const report = await handleReport(id, body.outcome, by(session, body), context)
      if (report === null) throw new ApiError(404, sentences.reportNotFound)
      return answer(200, done)
    },
    listAudit: async ({ query: { search = '', limit, cursor }, answer }) => {
      const found = await listAuditEntries(db, { search, limit: limit + 1, before: idOf(cursor) })
      const { rows, last } = pageOf(found, limit)
      const entries = rows.map(({ id, at, ...row }) => ({ id: String(id), at: isoOf(at), ...row }))
      return answer(200, { entries, cursor: last && String(last.id) })
    },

    listInvitations: async ({ query: { limit, cursor }, answer }) => {
      const found = await listInvitations(db, { limit: limit + 1, before: positionOf(cursor) })
      const { rows, last } = pageOf(found, limit)
      const invitations = rows.map(({ codeHash: id, ...row }) => ({
        id,
        createdBy: row.createdBy,
        createdAt: isoOf(row.createdAt),
        expiresAt: isoOf(row.expiresAt),
        usedBy: row.usedBy,
        usedAt: isoOrNull(row.usedAt),
      }))
      return answer(200, {
        signIn,
        invitations,
        cursor: last && `${last.createdAt}.${last.codeHash}`,
      })
    },
    createInvitation: async ({ body, session, answer }) => {
      const made = await invite(body.days, by(session, body), context)
      if (made === null) throw new ApiError(409, sentences.invitationsFull)
      const { id, code, expiresAt } = made
      const url = `${origin}/invitation/${code}`
      return answer(200, { ...done, id, url, expiresAt: isoOf(expiresAt) })
    },
    revokeInvitation: async ({ params: { id }, body, session, answer }) => {
      const isId = /^[0-9a-f]{64}$/.test(id)
      const isRevoked = isId && (await withdrawInvitation(id, by(session, body), context))
      if (!isRevoked) throw new ApiError(404, sentences.invitationNotFound)
      return answer(200, done)
    },
    listAllowed: async ({ query: { search, limit, cursor }, answer }) => {
      const page = { limit: limit + 1, after: textOf(cursor) }
      const found = await listAllowedAccounts(db, { search, ...page })
      const { rows, last } = pageOf(found, limit)
      const accounts = rows.map(({ at, ...row }) => ({ ...row, at: isoOf(at) }))
      return answer(200, { signIn, accounts, cursor: last?.account ?? null })
    },
    changeAllowed: async ({ body, session, answer }) => {
      const account = accountNameOf(body.account)
      if (account === null) throw new ApiError(400, sentences.notAnAccount)
      if (body.allowed) {
        const isAdded = await allowAccount(account, by(session, body), context)
        if (!isAdded) throw new ApiError(409, sentences.allowedFull)
      } else {
        const isRemoved = await disallowAccount(account, by(session, body), context)
        if (!isRemoved) throw new ApiError(404, sentences.unknownAccount)
      }
      return answer(200, done)
    },
  }
}

const incomplete = `Fill in the address of the page and what is wrong with it, in at most ${reportTextCharsMax} characters.`

/** At most `limit` rows; `last` of them if there are more. */
function pageOf<Row>(found: readonly Row[], limit: number) {
  const rows = found.slice(0, limit)
  return { rows, last: found.length > limit ? (rows.at(-1) ?? null) : null }
}

function reportRow({ did, site, ...report }: Report) {
  const { id, url, kind, text, contact, state, times, handledBy, outcome } = report
  return {
    ...{ id: String(id), url, did, rkey: site, kind, text, contact, state, times },
    ...{ createdAt: isoOf(report.at), lastAt: isoOf(report.lastAt) },
    ...{ handledBy, handledAt: isoOrNull(report.handledAt), outcome },
  }
}

/** Undefined for a cursor that we did not give out: the first page. */
const idOf = (cursor: string | undefined): number | undefined =>
  cursor !== undefined && /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined

// Checked before the database query: PostgreSQL rejects strings that hold NUL.
const textOf = (cursor: string | undefined): string | undefined =>
  cursor !== undefined && /^[\x21-\x7e]+$/.test(cursor) ? cursor : undefined

function positionOf(
  cursor: string | undefined,
): Pick<Invitation, 'createdAt' | 'codeHash'> | undefined {
  const [, createdAt, codeHash] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(cursor ?? '') ?? []
  return codeHash === undefined ? undefined : { createdAt: Number(createdAt), codeHash }
}

/** A DID, or a handle in lower case; null for anything else. */
export function accountNameOf(input: string): string | null {
  const name = input.trim().replace(/^@/, '')
  const did = parseDid(name)
  if (did !== null) return did
  const handle = name.toLowerCase()
  return /^(?=.{3,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(handle) ? handle : null
}
