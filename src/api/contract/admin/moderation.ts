import { z } from 'zod'
import { outcomeCharsMax } from '#admin/handle-report.ts'
import { invitationDaysMax } from '#admin/invitations.ts'
import { document, json } from '#api/contract/answers.ts'
import { jsonBytesMax } from '#api/contract/limits.ts'
import { bodyTooLarge, sentences } from '#api/contract/messages.ts'
import { defineRoute } from '#api/contract/route.ts'
import { done, instant } from '#api/contract/rows.ts'
import { actionReason } from './admin-actions.ts'
import { searchText } from './admin-rows.ts'
import { reportBody, reportKind, reportRow } from './report-rows.ts'

const ofAdmin = { section: 'decisions §6', access: 'admin' } as const

const signIn = z.enum(['open', 'listed', 'invited'])

const limit = z.coerce.number().int().min(1).max(200).default(50)
const cursor = z.string().max(200).optional()
const page = { limit, cursor }
const next = z.string().nullable().describe('For the next page; null: this is the last one')

/** Visitors’ reports, the audit, and who may sign in. */
export const moderationRoutes = {
  report: defineRoute({
    section: 'decisions §1',
    access: 'public',
    method: 'POST',
    path: '/api/report',
    limit: 'report',
    summary: 'Reports a site to the operator of this service',
    details:
      'A second report of the same kind about the same site counts with the first one, whose text stays.',
    body: { kind: 'json', schema: reportBody },
    answers: { 200: done },
    failures: {
      404: [sentences.reportElsewhere],
      429: [sentences.reportsOfNetwork],
      503: [sentences.reportsFull, sentences.storageAway],
    },
  }),
  readReportPage: defineRoute({
    section: 'ours',
    access: 'public',
    method: 'GET',
    path: '/report',
    summary: 'A form by which visitors report a site; works without scripts',
    query: { url: z.string().max(2000).optional().describe('Filled in; else the page before') },
    answers: { 200: document('The form', 'text/html; charset=utf-8') },
  }),
  sendReportPage: defineRoute({
    section: 'ours',
    access: 'public',
    method: 'POST',
    path: '/report',
    limit: 'report',
    failureShape: 'report-page',
    summary: 'What the form sends',
    body: { kind: 'unread-form', schema: reportBody },
    answers: {
      200: document('Thanks', 'text/html; charset=utf-8'),
      400: document('The form again, with what to mend', 'text/html; charset=utf-8'),
      404: document('The form again: no site is at that address', 'text/html; charset=utf-8'),
    },
    failures: {
      408: [sentences.bodyTooSlow],
      413: [bodyTooLarge(jsonBytesMax)],
      429: [sentences.reportsOfNetwork],
      503: [sentences.reportsFull, sentences.storageAway],
    },
  }),
  listReports: defineRoute({
    ...ofAdmin,
    method: 'GET',
    path: '/api/admin/reports',
    summary: 'Visitors’ reports, newest first',
    query: {
      state: z.enum(['open', 'handled']).optional(),
      kind: reportKind.optional(),
      search: searchText(
        'A part of what it says, of its address, site or outcome, or of who handled it; or the whole DID of the account',
      ),
      ...page,
    },
    answers: {
      200: json('A page of them', z.strictObject({ reports: z.array(reportRow), cursor: next })),
    },
  }),
  handleReport: defineRoute({
    ...ofAdmin,
    method: 'POST',
    path: '/api/admin/reports/:id/handle',
    summary: 'Closes an open report',
    params: { id: z.string() },
    body: {
      kind: 'json',
      schema: z.object({
        outcome: z.string().trim().min(1).max(outcomeCharsMax),
        reason: actionReason,
      }),
    },
    answers: { 200: done },
    failures: { 404: [sentences.reportNotFound] },
  }),
  listAudit: defineRoute({
    ...ofAdmin,
    method: 'GET',
    path: '/api/admin/audit',
    summary: 'What administrators did, newest first',
    query: {
      search: searchText('In actor, action, subject and reason'),
      ...page,
    },
    answers: {
      200: json(
        'A page of audit entries',
        z.strictObject({
          entries: z.array(
            z.strictObject({
              id: z.string(),
              at: instant,
              actor: z.string(),
              action: z.string(),
              subject: z.string(),
              reason: z.string(),
              details: z.record(z.string(), z.unknown()),
            }),
          ),
          cursor: next,
        }),
      ),
    },
  }),
  listInvitations: defineRoute({
    ...ofAdmin,
    method: 'GET',
    path: '/api/admin/invitations',
    summary: 'Invitations, newest first, without their codes',
    query: page,
    answers: {
      200: json(
        'The setting SIGN_IN, and a page of them, which count while it is `invited`',
        z.strictObject({
          signIn,
          invitations: z.array(
            z.strictObject({
              id: z.string(),
              createdBy: z.string(),
              createdAt: instant,
              expiresAt: instant,
              usedBy: z.string().nullable(),
              usedAt: instant.nullable(),
            }),
          ),
          cursor: next,
        }),
      ),
    },
  }),
  createInvitation: defineRoute({
    ...ofAdmin,
    method: 'POST',
    path: '/api/admin/invitations',
    summary: 'Makes an invitation, whose address is shown only now',
    body: {
      kind: 'json',
      schema: z.object({ days: z.int().min(1).max(invitationDaysMax), reason: actionReason }),
    },
    answers: {
      200: json(
        'The invitation',
        z.strictObject({
          success: z.literal(true),
          id: z.string(),
          url: z.string().describe('For one guest'),
          expiresAt: instant,
        }),
      ),
    },
    failures: { 409: [sentences.invitationsFull] },
  }),
  revokeInvitation: defineRoute({
    ...ofAdmin,
    method: 'POST',
    path: '/api/admin/invitations/:id/revoke',
    summary: 'Ends an invitation that nobody has used',
    params: { id: z.string() },
    body: { kind: 'json', schema: z.object({ reason: actionReason }) },
    answers: { 200: done },
    failures: { 404: [sentences.invitationNotFound] },
  }),
  listAllowed: defineRoute({
    ...ofAdmin,
    method: 'GET',
    path: '/api/admin/allowed',
    summary: 'Who may sign in, and who settled that; by name',
    query: { search: searchText('The beginning of a DID or a handle'), ...page },
    answers: {
      200: json(
        'The setting SIGN_IN, and a page of the list, which counts unless it is `open`',
        z.strictObject({
          signIn,
          accounts: z.array(
            z.strictObject({ account: z.string(), addedBy: z.string(), at: instant }),
          ),
          cursor: next,
        }),
      ),
    },
  }),
  changeAllowed: defineRoute({
    ...ofAdmin,
    method: 'POST',
    path: '/api/admin/allowed',
    summary: 'Adds an account to the list of those who may sign in, or takes one from it',
    details: 'The sessions of one that is taken from it end at their next request.',
    body: {
      kind: 'json',
      schema: z.object({
        account: z.string().max(300).describe('A DID or a handle'),
        allowed: z.boolean(),
        reason: actionReason,
      }),
    },
    answers: { 200: done },
    failures: {
      400: [sentences.notAnAccount],
      404: [sentences.unknownAccount],
      409: [sentences.allowedFull],
    },
  }),
}
