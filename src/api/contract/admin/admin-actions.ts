import { z } from 'zod'
import { reasonCharsMax } from '#admin/action.ts'
import { json } from '#api/contract/answers.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { defineRoute } from '#api/contract/route.ts'
import { count, did, done, siteName } from '#api/contract/rows.ts'

const ofAdmin = { section: 'decisions §6', access: 'admin', method: 'POST' } as const

export const actionReason = z
  .string()
  .trim()
  .min(1)
  .max(reasonCharsMax)
  .describe('Why: for the audit entry, and with a takedown for the owner')

const ofSite = { did, rkey: siteName }
const ofAccount = { did }
const because = { kind: 'json', schema: z.object({ reason: actionReason }) } as const
const takeDown = {
  kind: 'json',
  schema: z.object({
    status: z
      .union([z.literal(451), z.literal(404)], 'expected 451 or 404')
      .describe('What visitors get: 451 names legal reasons, 404 is as if there were no site'),
    reason: actionReason,
  }),
} as const
const noSuchSite = { 404: [literals.siteNotFound] }
const noSuchAccount = { 404: [sentences.unknownAccount] }
const override = count.nullable().describe('Null: the default of the setting')

/** `/api/admin/*`: what administrators do to sites, accounts, names and jobs. Each action writes an audit entry. */
export const adminActionRoutes = {
  takeDownSite: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites/:did/:rkey/take-down',
    summary: 'Takes a site offline here',
    details:
      'Also one that is not here yet. The record in its owner’s repository stays; later versions stay offline too.',
    params: ofSite,
    body: takeDown,
    answers: { 200: done },
    failures: noSuchSite,
  }),
  bringBackSite: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites/:did/:rkey/bring-back',
    summary: 'Ends the takedown of a site',
    params: ofSite,
    body: because,
    answers: { 200: done },
    failures: { 404: [literals.siteNotFound, sentences.notTakenDown] },
  }),
  retrySite: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites/:did/:rkey/retry',
    summary: 'Reads a site from its owner’s server again, also one that was given up',
    params: ofSite,
    body: because,
    answers: { 200: done },
    failures: noSuchSite,
  }),
  purgeSiteBlobs: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites/:did/:rkey/purge-blobs',
    summary: 'Removes the stored bytes that only this site names',
    details: 'Visitors of a site that is not offline cause them to be fetched again.',
    params: ofSite,
    body: because,
    answers: {
      200: json(
        'How many blobs were removed, and how many are left because other sites name them',
        z.strictObject({ success: z.literal(true), removed: count, kept: count }),
      ),
    },
    failures: { ...noSuchSite, 429: [sentences.purgeRunning] },
  }),
  verifySiteBlobs: defineRoute({
    ...ofAdmin,
    path: '/api/admin/sites/:did/:rkey/verify-blobs',
    summary: 'Reads every stored byte of a site, and has damaged blobs fetched again',
    params: ofSite,
    body: because,
    answers: {
      200: json(
        'How many files the live version has, and how many of them were damaged or missing',
        z.strictObject({ success: z.literal(true), files: count, damaged: count }),
      ),
    },
    failures: noSuchSite,
  }),
  takeDownAccount: defineRoute({
    ...ofAdmin,
    path: '/api/admin/accounts/:did/take-down',
    summary: 'Takes all sites of an account offline here, later ones too',
    params: ofAccount,
    body: takeDown,
    answers: { 200: done },
    failures: noSuchAccount,
  }),
  bringBackAccount: defineRoute({
    ...ofAdmin,
    path: '/api/admin/accounts/:did/bring-back',
    summary: 'Ends the takedown of an account',
    details: 'Sites that were taken down on their own stay offline.',
    params: ofAccount,
    body: because,
    answers: { 200: done },
    failures: { 404: [sentences.unknownAccount, sentences.notTakenDown] },
  }),
  endAccountSessions: defineRoute({
    ...ofAdmin,
    path: '/api/admin/accounts/:did/end-sessions',
    summary: 'Signs an account out of all browsers',
    params: ofAccount,
    body: because,
    answers: { 200: done },
    failures: noSuchAccount,
  }),
  setAccountLimits: defineRoute({
    ...ofAdmin,
    path: '/api/admin/accounts/:did/limits',
    summary: 'Sets the limits of one account in place of those of the settings',
    params: ofAccount,
    body: {
      kind: 'json',
      schema: z.object({
        sitesMax: override,
        bytesMax: override,
        uploadsPerDayMax: override,
        reason: actionReason,
      }),
    },
    answers: { 200: done },
    failures: noSuchAccount,
  }),
  recheckDomain: defineRoute({
    ...ofAdmin,
    path: '/api/admin/domains/:domain/recheck',
    summary: 'Looks a custom domain up now, as its daily check does',
    params: { domain: z.string() },
    body: because,
    answers: {
      200: json(
        'What the look-up found',
        z.strictObject({ success: z.literal(true), verified: z.boolean() }),
      ),
    },
    failures: { 404: [literals.domainNotFound] },
  }),
  releaseName: defineRoute({
    ...ofAdmin,
    path: '/api/admin/names/:domain/release',
    summary: 'Takes a subdomain or a custom domain from its account',
    details: 'Everybody may claim the name at once.',
    params: { domain: z.string() },
    body: because,
    answers: { 200: done },
    failures: { 404: [literals.domainNotFound] },
  }),
  cancelJob: defineRoute({
    ...ofAdmin,
    path: '/api/admin/jobs/:id/cancel',
    summary: 'Cancels an upload that is not being written yet; its owner reads the reason',
    params: { id: z.string() },
    body: because,
    answers: { 200: done },
    failures: {
      404: [literals.jobNotFound],
      409: [sentences.tooLateToCancel, sentences.uploadEnded],
    },
  }),
}
