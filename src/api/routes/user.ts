import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import type { userRoutes } from '#api/contract/user.ts'
import { ApiError } from '#api/errors.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { revokeIfUnused } from '#api/session/sign-ins.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { noDiskSpace } from '#site/limits.ts'
import { type Did, siteUri } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { deleteBrowserSessionOf } from '#store/accounts/sessions.ts'
import { listCustomDomains } from '#store/names/custom-domains.ts'
import { listSubdomains } from '#store/names/subdomains.ts'
import { listUnreadSites, type UnreadSite } from '#store/queues/unread.ts'
import { listSites, type Site } from '#store/sites/sites.ts'
import { customDomainRow, primaryOf, siteDomainRows, subdomainRow } from './domain-rows.ts'
import { isoOf, isoOrNull } from './iso-of.ts'

/** Per account, which may have a thousand sites. */
const listsAtOnceMax = 4
/** Per site in a list. */
const listedProblemsMax = 10

/** `/api/user/*`: what the signed-in account has here (interface.md §4.2), and where it is signed in. */
export function userHandlers(
  context: ApiContext,
  sessions: BrowserSessions,
): HandlersOf<typeof userRoutes> {
  const { db, log } = context
  const listing = new ConcurrencyLimit({
    max: listsAtOnceMax,
    sentence: sentences.listsBusy,
    retryAfterSeconds: 2,
  })
  const domainsOf = async (did: Did) => ({
    subdomains: await listSubdomains(db, did),
    customDomains: await listCustomDomains(db, did),
  })
  return {
    listDomains: async ({ session, answer }) => {
      const { subdomains, customDomains } = await domainsOf(session.did)
      return answer(200, {
        sitehostDomains: subdomains.map(subdomainRow),
        customDomains: customDomains.map((domain) => customDomainRow(domain, context.baseDomain)),
      })
    },

    listDomainsOfSite: async ({ params, session, answer }) => {
      const name = parseSiteName(params.rkey)
      if (name === null) throw new ApiError(404, literals.siteNotFound)
      const { subdomains, customDomains } = await domainsOf(session.did)
      return answer(200, { rkey: name, domains: siteDomainRows(name, subdomains, customDomains) })
    },

    readUserStatus: async ({ session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const sites = await listSites(db, did)
      const [oldest] = await listSubdomains(db, did)
      return answer(200, {
        did,
        hasSites: sites.length > 0,
        hasDomain: oldest !== undefined,
        domain: oldest?.domain ?? null,
        sitesCount: sites.length,
      })
    },

    readUserInfo: async ({ session: { did }, answer }) => {
      const account = await findAccount(db, did)
      // atproto's handle for an account whose own does not resolve back to it
      return answer(200, { did, handle: account?.handle ?? 'handle.invalid' })
    },

    listSites: async ({ session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const sites = await listSites(db, did)
      const { subdomains, customDomains } = await domainsOf(did)
      const failed = new Map((await listUnreadSites(db, did)).map((item) => [item.name, item]))
      const rows = []
      const yieldWhenDue = timeSlices()
      for (const site of sites) {
        await yieldWhenDue()
        const domains = siteDomainRows(site.name, subdomains, customDomains)
        rows.push({
          ...siteRow(site, failed.get(site.name), context),
          domains,
          primary: primaryOf(domains),
        })
      }
      return answer(200, { sites: rows })
    },

    syncSites: async ({ c, session, answer }) => {
      // Bun would close the connection, which is silent while sites are read.
      c.env.server?.timeout(c.req.raw, 0)
      const { status, synced, errors } = await context.syncAccount(session.did)
      if (status !== 'active') throw new ApiError(409, sentences.accountInactive)
      return answer(200, { success: errors.length === 0, synced, errors })
    },

    listSignIns: async ({ session: { did, idHash }, answer }) => {
      const rows = await sessions.list(did)
      return answer(200, {
        sessions: rows.map((row) => ({
          // A hash of the secret: it cannot be used to sign in.
          id: row.idHash,
          createdAt: isoOf(row.createdAt),
          lastUsedAt: isoOf(row.seenAt),
          device: row.device,
          current: row.idHash === idHash,
        })),
      })
    },

    endSignIn: async ({ params: { id }, session: { did, idHash }, answer, c }) => {
      // Checked before the database query: PostgreSQL rejects strings that hold NUL.
      const isId = /^[0-9a-f]{64}$/.test(id)
      const isEnded = isId && (await deleteBrowserSessionOf(db, did, id))
      if (!isEnded) throw new ApiError(404, sentences.signInNotFound)
      await revokeIfUnused(did, context)
      log.info('sign-in ended', { did })
      if (id === idHash) {
        for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      }
      return answer(200, { success: true })
    },
  }
}

function siteRow(site: Site, failed: UnreadSite | undefined, { siteUrl }: ApiContext) {
  const { did, live, name, refused } = site
  return {
    rkey: name,
    displayName: name,
    uri: siteUri({ did, name }),
    cid: live?.recordCid ?? null,
    fileCount: live?.fileCount ?? 0,
    bytes: live?.bytes ?? 0,
    url: siteUrl({ did, name }),
    createdAt: isoOf(site.createdAt),
    updatedAt: isoOf(site.updatedAt),
    publishedAt: isoOrNull(live?.publishedAt),
    problems: [...firstOf((refused ?? live)?.problems ?? []), ...unreadProblems(failed)],
  }
}

const serverGaveNotAll = 'Your account’s server did not give all of the newest version.'

function firstOf(problems: readonly string[]): string[] {
  const first = problems.slice(0, listedProblemsMax)
  const others = problems.length - first.length
  return others === 0 ? first : [...first, `And ${others} more.`]
}

function unreadProblems(failed: UnreadSite | undefined): string[] {
  if (failed === undefined) return []
  const { nextAttemptAt } = failed
  const next =
    nextAttemptAt === null
      ? 'It is not tried any more until you publish the site again or ask for it.'
      : `It is tried again at ${isoOf(nextAttemptAt)}.`
  return [`${failed.error === noDiskSpace ? noDiskSpace : serverGaveNotAll} ${next}`]
}
