import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { AnswerTo, Site } from '#api/contract/client.ts'
import { call, listNames, listSites, readSettings, readUser } from './api.ts'
import { userKey } from './kept-answers.ts'

// Every read of the app, once: its key, and how long its answer counts as fresh. Mutations invalidate by key:
// `queryClient.invalidateQueries({ queryKey: keys.sites })`.

export const keys = {
  user: userKey,
  sites: ['sites'],
  foreignSites: ['foreign-sites'],
  names: ['names'],
  signIns: ['sign-ins'],
  webhooks: ['webhooks'],
  foreignWebhooks: ['foreign-webhooks'],
  /** What is known about each site alone. */
  eachSite: ['site'],
  /** All that is known about one site. */
  site: (rkey: string) => ['site', rkey],
} as const

/** Kept in sessionStorage over a reload, so that nothing flashes or shifts. */
const kept = { isKept: true } as const

export const userQuery = queryOptions({
  queryKey: keys.user,
  queryFn: readUser,
  staleTime: 5 * 60_000,
  meta: kept,
})

export const sitesQuery = queryOptions({ queryKey: keys.sites, queryFn: listSites, meta: kept })

/** Of other networks: they can only be read here. */
export const foreignSitesQuery = queryOptions({
  queryKey: keys.foreignSites,
  queryFn: async () => (await call('GET /api/user/foreign-sites', {})).sites,
})

/** One of the sites of the list; null: the account has none of that name. */
export const siteQuery = (rkey: string) =>
  queryOptions({
    ...sitesQuery,
    select: (sites: readonly Site[]): Site | null =>
      sites.find((site) => site.rkey === rkey) ?? null,
  })

/** Claimed addresses and custom domains of the account. @public */
export const namesQuery = queryOptions({ queryKey: keys.names, queryFn: listNames })

export const signInsQuery = queryOptions({
  queryKey: keys.signIns,
  queryFn: async () => (await call('GET /api/user/sessions', {})).sessions,
  meta: kept,
})

/** What the account uses of what it may. */
export const usageQuery = queryOptions({
  queryKey: [...keys.user, 'usage'],
  queryFn: () => call('GET /api/user/usage', {}),
  meta: kept,
})

/** As the account’s repository has them now. */
export const settingsQuery = (rkey: string) =>
  queryOptions({
    queryKey: [...keys.site(rkey), 'settings'],
    queryFn: () => readSettings(rkey),
    // The answer comes from the account's own server.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  })

/** After a publish: the list, and what each site's pages show. */
export const refreshSites = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: keys.sites }),
    client.invalidateQueries({ queryKey: keys.eachSite }),
  ])

/** After a deletion, which the service's own list learns a moment later. */
export function forgetSite(client: QueryClient, rkey: string): void {
  client.setQueryData(sitesQuery.queryKey, (sites) => sites?.filter((each) => each.rkey !== rkey))
  client.removeQueries({ queryKey: keys.site(rkey) })
}

/** After a change of an address: the account's names and its sites both show it. */
export const refreshAddresses = (client: QueryClient) =>
  Promise.all([
    client.invalidateQueries({ queryKey: keys.names }),
    client.invalidateQueries({ queryKey: keys.sites }),
  ])

const versionsPageSize = 20

/** Pages of the history, newest first. */
export const versionsQuery = (rkey: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.site(rkey), 'versions'],
    queryFn: ({ pageParam }) =>
      call('GET /api/site/:rkey/versions', {
        params: { rkey },
        query: {
          limit: String(versionsPageSize),
          ...(pageParam !== null && { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
  })

/** `id`: of a version, or `live`. */
export const filesQuery = (rkey: string, id: string) =>
  queryOptions({
    queryKey: [...keys.site(rkey), 'files', id],
    queryFn: () => call('GET /api/site/:rkey/versions/:id/files', { params: { rkey, id } }),
  })

/** What leads from the version `against` to this one. */
export const changesQuery = (rkey: string, id: string, against: string) =>
  queryOptions({
    queryKey: [...keys.site(rkey), 'changes', id, against],
    queryFn: () =>
      call('GET /api/site/:rkey/versions/:id/changes', {
        params: { rkey, id },
        query: { against },
      }),
    // Two versions never change; a forgotten one is asked for no more.
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Version = AnswerTo<'GET /api/site/:rkey/versions'>['versions'][number]

/** What is kept over a reload. */
export const keptQueries = [userQuery, sitesQuery, usageQuery, signInsQuery] as const
