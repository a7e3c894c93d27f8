import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { adminReadRoutes } from '#api/contract/admin/admin-reads.ts'
import { literals } from '#api/contract/messages.ts'
import { pageOf, readCursor } from '#api/routes/cursor.ts'
import { isoOf } from '#api/routes/iso-of.ts'
import { cachedRead } from '#concurrency/cached-read.ts'
import { RequestWindow } from '#observe/request-window.ts'
import { listCustomDomainsOf, listNewestCustomDomains } from '#store/names/custom-domains.ts'
import { listNewestDomains } from '#store/names/search-domains.ts'
import { listNewestSites, searchSites, siteKey } from '#store/sites/search-sites.ts'
import { readTotals } from '#store/sites/totals.ts'
import { adminCustomDomainRows, adminDomainRows, adminSiteRows } from './admin-rows.ts'

/** Rows of each list in `GET /api/admin/database`. */
const recentMax = 20

/** What administrators read about the service as a whole (interface.md §4.6). */
export function adminReadHandlers(context: ApiContext): HandlersOf<typeof adminReadRoutes> {
  const { db, now, operations } = context
  const { hosting } = operations
  const totalsOf = cachedRead(() => readTotals(db), context.elapsed)
  return {
    readAdminMetrics: async ({ query: { timeWindow }, answer }) => {
      const app = operations.requests.window('app', timeWindow)
      const mainApp = app.summary()
      const found = await hosting.metrics(timeWindow)
      if (found === null) {
        return answer(200, { overall: mainApp, mainApp, hostingService: {}, timeWindow })
      }
      const hosted = RequestWindow.from(found.requests)
      app.merge(hosted)
      const hostingService = hosted.summary()
      return answer(200, { overall: app.summary(), mainApp, hostingService, timeWindow })
    },

    readAdminDatabase: async ({ answer }) => {
      const totals = await totalsOf()
      const recentSites = await listNewestSites(db, { limit: recentMax, offset: 0 })
      const recentDomains = await listNewestDomains(db, recentMax)
      return answer(200, {
        stats: {
          totalSites: totals.sites,
          totalSubdomains: totals.subdomains,
          totalCustomDomains: totals.customDomains,
          totalAccounts: totals.accounts,
          databaseBytes: await operations.databaseBytes(),
        },
        recentSites: await adminSiteRows(recentSites, context),
        recentDomains: await adminDomainRows(recentDomains, context),
      })
    },

    readAdminCache: async ({ answer }) => {
      const stats = await hosting.cache()
      return stats === null
        ? answer(503, { error: literals.noCacheStats, message: literals.hostingUnavailable })
        : answer(200, stats)
    },

    listAdminSites: async ({ query, answer }) => {
      const { cursor: given, limit, offset, search, state } = query
      if (search === undefined && state === undefined && given === undefined) {
        const sites = await listNewestSites(db, { limit, offset })
        const customDomains = await listNewestCustomDomains(db, { limit, offset })
        return answer(200, {
          sites: await adminSiteRows(sites, context),
          customDomains: await adminCustomDomainRows(customDomains, context),
        })
      }
      const after = readCursor(given, ['number', 'string', 'string'])
      const wanted = { search: search ?? '', state: state ?? null, after, limit: limit + 1 }
      const { page, cursor } = pageOf(await searchSites(db, wanted), limit, siteKey)
      return answer(200, {
        sites: await adminSiteRows(page, context),
        customDomains: await adminCustomDomainRows(await listCustomDomainsOf(db, page), context),
        cursor,
      })
    },

    readAdminHealth: ({ answer }) => {
      const { heapTotal, heapUsed, rss } = process.memoryUsage()
      return answer(200, {
        uptime: process.uptime(),
        memory: { heapUsed, heapTotal, rss },
        timestamp: isoOf(now()),
      })
    },
  }
}
