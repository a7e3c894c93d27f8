import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import type { userRoutes } from '#api/contract/user.ts'
import { ApiError } from '#api/errors.ts'
import { revokeIfUnused } from '#api/session/end-sign-ins.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { recordEvent } from '#observe/events.ts'
import type { Did } from '#site/site-address.ts'
import { isForeignName, parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { deleteBrowserSessionOf } from '#store/accounts/sessions.ts'
import { listTakedowns } from '#store/moderation/takedowns.ts'
import { listCustomDomains } from '#store/names/custom-domains.ts'
import { listSubdomains } from '#store/names/subdomains.ts'
import { listUnreadSites } from '#store/queues/unread.ts'
import { listSites, type Site } from '#store/sites/sites.ts'
import { readAccountUsage } from './account-usage.ts'
import { customDomainRow, primaryOf, siteDomainRows, subdomainRow } from './domains/domain-rows.ts'
import { isoOf } from './iso-of.ts'
import { siteRow } from './site-row.ts'
import { stateOf, takedownProblems } from './site-state.ts'
import { trafficToday } from './traffic-today.ts'

/** Per account, which may have a thousand sites. */
const listsAtOnceMax = 4

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
  const domainsOf = async (did: Did) => {
    const subdomains = await listSubdomains(db, did)
    const customDomains = await listCustomDomains(db, did)
    const hosts = customDomains.map(({ domain }) => domain)
    const certificates = (await context.certificates?.of(hosts)) ?? null
    return { subdomains, customDomains, certificates }
  }
  return {
    listDomains: async ({ session, answer }) => {
      const { subdomains, customDomains, certificates } = await domainsOf(session.did)
      return answer(200, {
        sitehostDomains: subdomains.map(subdomainRow),
        customDomains: customDomains.map((domain) =>
          customDomainRow(domain, context.baseDomain, certificates),
        ),
      })
    },

    listDomainsOfSite: async ({ params, session, answer }) => {
      const name = parseSiteName(params.rkey)
      if (name === null) throw new ApiError(404, literals.siteNotFound)
      const { subdomains, customDomains, certificates } = await domainsOf(session.did)
      const domains = siteDomainRows(name, subdomains, customDomains, certificates)
      return answer(200, { rkey: name, domains })
    },

    readUserStatus: async ({ session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const sites = (await listSites(db, did)).filter(isOwn)
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

    readUsage: async ({ session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const account = await findAccount(db, did)
      const usage = await readAccountUsage(db, did, { limits: context.limits, now: context.now() })
      const { ofAll } = await trafficToday(did, context)
      return answer(200, { pds: account?.pds ?? null, ...usage, today: ofAll })
    },

    listSites: async ({ session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const sites = (await listSites(db, did)).filter(isOwn)
      const { subdomains, customDomains, certificates } = await domainsOf(did)
      const failed = new Map((await listUnreadSites(db, did)).map((item) => [item.name, item]))
      const takedowns = await listTakedowns(db, did)
      const traffic = await trafficToday(did, context)
      const rows = []
      const yieldWhenDue = timeSlices()
      for (const site of sites) {
        await yieldWhenDue()
        const domains = siteDomainRows(site.name, subdomains, customDomains, certificates)
        const unread = failed.get(site.name)
        const row = siteRow(site, unread, context)
        const takenDown = takedownProblems(site, takedowns)
        rows.push({
          ...row,
          state: stateOf(site, {
            isTakenDown: takenDown.length > 0,
            isUnread: unread !== undefined,
          }),
          problems: [...takenDown, ...row.problems],
          domains,
          primary: primaryOf(domains),
          today: traffic.ofSite(site.name),
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
      recordEvent(log, 'signed_out', { did, reason: 'ended from a list' })
      if (id === idHash) {
        for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      }
      return answer(200, { success: true })
    },
  }
}

const isOwn = ({ name }: Site): boolean => !isForeignName(name)
