import type { QueryClient } from '@tanstack/react-query'
import { type Route, Router } from '#web/shell/routing/router.ts'
import { sitesQuery } from './server/queries.ts'
import { ownParts } from './shell/own-parts.ts'

const prefetchSites = (client: QueryClient) => client.prefetchQuery(sitesQuery)

const loadOwn = async () => ownParts() ?? (await import('./shell/own.tsx')).parts

/** The pages of one site share its head and tabs. */
const ofSite = {
  isOwn: true,
  loadFrame: async () => ({ default: (await loadOwn()).SiteFrame }),
  prefetch: prefetchSites,
}

/** Every page. The server answers each path with the document (`src/main/web-app/web-assets.ts`). */
const routes: readonly Route[] = [
  { pattern: '/', load: () => import('./start/start-page.tsx'), isOwn: false },
  { pattern: '/onboarding', load: () => import('./onboarding/onboarding-page.tsx'), isOwn: true },
  {
    pattern: '/editor',
    load: () => import('./sites/sites-page.tsx'),
    isOwn: true,
    prefetch: prefetchSites,
  },
  { pattern: '/names', load: () => import('./sites/old-names-page.tsx'), isOwn: true },
  {
    pattern: '/sites/:rkey',
    load: () => import('./site/overview/overview-page.tsx'),
    ...ofSite,
  },
  {
    pattern: '/sites/:rkey/files',
    load: () => import('./site/files/files-page.tsx'),
    ...ofSite,
  },
  {
    pattern: '/sites/:rkey/versions',
    load: () => import('./site/versions/versions-page.tsx'),
    ...ofSite,
  },
  {
    pattern: '/sites/:rkey/domains',
    load: () => import('./site/domains/domains-page.tsx'),
    ...ofSite,
  },
  {
    pattern: '/sites/:rkey/visits',
    load: () => import('./site/visits/visits-page.tsx'),
    ...ofSite,
  },
  {
    pattern: '/sites/:rkey/settings',
    load: () => import('./site/settings/settings-page.tsx'),
    ...ofSite,
  },
  { pattern: '/account', load: () => import('./account/account-page.tsx'), isOwn: true },
  ...(HAS_STYLEGUIDE
    ? [
        {
          pattern: '/styleguide',
          load: () => import('./styleguide/styleguide-page.tsx'),
          isOwn: false,
        },
      ]
    : []),
]

const notFound: Route = {
  pattern: '*',
  load: () => import('./not-found/not-found-page.tsx'),
  isOwn: false,
}

export const openRouter = (): Router =>
  new Router({
    routes,
    notFound,
    loadOwn,
  })
