import { z } from 'zod'
import { json } from './answers.ts'
import { literals, sentences } from './messages.ts'
import { accountServerFailures, defineRoute } from './route.ts'
import {
  count,
  customDomainRow,
  did,
  done,
  instant,
  siteDomainRow,
  siteName,
  siteRow,
  subdomainRow,
  trafficRow,
  used,
} from './rows.ts'

const ofSection = { section: '4.2', access: 'signed-in' } as const

const signInId = z.string().meta({ description: 'Of a session; it is no credential' })

const signIn = z.strictObject({
  id: signInId,
  createdAt: instant,
  lastUsedAt: instant.describe('To the hour'),
  device: z
    .string()
    .nullable()
    .meta({
      description: 'Browser and operating system as it named them; null: not known',
      examples: ['Firefox on Windows'],
    }),
  current: z.boolean().describe('Whether it is the session of this request'),
})

/** `/api/user/*`: what the signed-in account has here, and where it is signed in. */
export const userRoutes = {
  readUserStatus: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/status',
    summary: 'What the account has here, in numbers',
    answers: {
      200: json(
        'The numbers',
        z.strictObject({
          did,
          hasSites: z.boolean(),
          hasDomain: z.boolean(),
          domain: z.string().nullable().describe('Its oldest name below the base domain'),
          sitesCount: count,
        }),
      ),
    },
    failures: { 429: [sentences.listsBusy] },
  }),
  readUserInfo: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/info',
    summary: 'Who is signed in',
    answers: {
      200: json(
        'The account',
        z.strictObject({
          did,
          handle: z
            .string()
            .describe('`handle.invalid` where it does not lead back to the account'),
        }),
      ),
    },
  }),
  readUsage: defineRoute({
    ...ofSection,
    section: 'ours',
    method: 'GET',
    path: '/api/user/usage',
    limit: 'list',
    summary: 'What the account uses of what it may',
    answers: {
      200: json(
        'Counted as the limits count it',
        z.strictObject({
          pds: z.string().nullable().describe('Origin of the account’s server'),
          sites: used,
          bytes: used.describe('Of the files of all live versions'),
          uploads: used.describe('Begun within 24 hours'),
          today: trafficRow.describe('What visitors of all sites took today, in UTC'),
        }),
      ),
    },
    failures: { 429: [sentences.listsBusy] },
  }),
  listSites: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/sites',
    takesServiceAuth: true,
    limit: 'list',
    summary: 'The account’s sites',
    answers: {
      200: json(
        'All of them',
        z.strictObject({
          sites: z.array(
            siteRow.extend({ today: trafficRow.describe('What visitors took today, in UTC') }),
          ),
        }),
      ),
    },
    failures: { 429: [sentences.listsBusy] },
  }),
  listDomains: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/domains',
    takesServiceAuth: true,
    limit: 'list',
    summary: 'The account’s names and domains',
    answers: {
      200: json(
        'All of them',
        z.strictObject({
          sitehostDomains: z.array(subdomainRow),
          customDomains: z.array(customDomainRow),
        }),
      ),
    },
  }),
  syncSites: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/user/sync',
    limit: 'sync',
    summary: 'Reads the account’s sites from its server, and answers when all are done',
    answers: {
      200: json(
        'The result',
        z.strictObject({
          success: z.boolean().describe('Whether `errors` is empty'),
          synced: count.describe('Sites that are up to date'),
          errors: z.array(z.strictObject({ rkey: siteName, error: z.string() })),
        }),
      ),
    },
    failures: {
      409: [sentences.accountInactive],
      429: [sentences.syncsBusy],
      503: [sentences.restarting],
      502: accountServerFailures[502],
    },
  }),
  listDomainsOfSite: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/site/:rkey/domains',
    summary: 'The names and domains that lead to one site',
    params: { rkey: siteName },
    answers: {
      200: json('All of them', z.strictObject({ rkey: siteName, domains: z.array(siteDomainRow) })),
    },
    failures: { 404: [literals.siteNotFound] },
  }),
  listSignIns: defineRoute({
    ...ofSection,
    section: 'ours',
    method: 'GET',
    path: '/api/user/sessions',
    summary: 'Where the account is signed in',
    answers: {
      200: json('All sessions, latest used first', z.strictObject({ sessions: z.array(signIn) })),
    },
  }),
  endSignIn: defineRoute({
    ...ofSection,
    section: 'ours',
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    summary: 'Ends a session, which may be this browser’s own',
    params: { id: signInId },
    answers: { 200: done },
    failures: { 404: [sentences.signInNotFound] },
  }),
}
