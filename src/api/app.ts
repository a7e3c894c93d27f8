import { type Context, Hono } from 'hono'
import { literals, sentences } from '#api/contract/messages.ts'
import { type Routes, routes } from '#api/contract/routes.ts'
import { answerOwnPage } from '#api/document/own-page.ts'
import { reportFailedPage } from '#api/document/report-page.ts'
import { accountHandlers } from '#api/routes/account.ts'
import { authHandlers } from '#api/routes/auth.ts'
import { deployHandlers } from '#api/routes/deploys.ts'
import { healthAndMetadataHandlers } from '#api/routes/health-and-metadata.ts'
import { publisherHandlers } from '#api/routes/publishers.ts'
import { siteHandlers } from '#api/routes/site.ts'
import { tokenHandlers } from '#api/routes/tokens.ts'
import { uploadHandlers } from '#api/routes/uploads.ts'
import { userHandlers } from '#api/routes/user.ts'
import { webhookHandlers } from '#api/routes/webhooks.ts'
import { Deployers, tokenIn } from '#api/session/deployers.ts'
import { endIfGrantEnded } from '#api/session/end-sign-ins.ts'
import { confirmGrant } from '#api/session/grant-check.ts'
import { ServiceAuth } from '#api/session/service-auth.ts'
import { AdminSessions, BrowserSessions } from '#api/session/sessions.ts'
import type { Did } from '#site/site-address.ts'
import { adminPage, assetPath, documentKey, localeOf, noPage } from './app-pages.ts'
import { bindRoutes, type Guards, type HandlersOf, sendsJson } from './bind-routes.ts'
import type { ApiContext, ApiEnv } from './context.ts'
import { ApiError, answerError } from './errors.ts'
import { headLength } from './head-length.ts'
import { RateLimits } from './rate-limits.ts'
import { adminHandlers } from './routes/admin/admin.ts'
import { adminActionHandlers } from './routes/admin/admin-actions.ts'
import { adminListHandlers } from './routes/admin/admin-lists.ts'
import { adminLogHandlers } from './routes/admin/admin-log.ts'
import { adminReadHandlers } from './routes/admin/admin-reads.ts'
import { moderationHandlers } from './routes/admin/moderation.ts'
import { domainHandlers } from './routes/domains/domain.ts'
import { customDomainHandlers } from './routes/domains/domain-custom.ts'
import { foreignSiteHandlers } from './routes/foreign-sites.ts'
import { foreignWebhookHandlers } from './routes/foreign-webhooks.ts'
import { versionHandlers } from './routes/versions/versions.ts'
import { securityHeaders } from './security-headers.ts'
import { Admission } from './session/sign-in-admission.ts'
import { spanned } from './spanned.ts'
import { traced } from './traced.ts'
import { assetAnswer, type WebAsset } from './web-asset.ts'

interface AppContext extends ApiContext {
  /** By path, such as `/` and `/app-1a2b3c.js`. */
  readonly webAssets: ReadonlyMap<string, WebAsset>
}

/** Below these paths even a 404 requires a session. */
const ownSections = [
  '/api/user/*',
  '/api/domain/*',
  '/api/site/*',
  '/api/deploys/*',
  '/api/webhooks/*',
  '/sitehost/*',
]

/** The application on its own host: its routes and its pages, without any site. */
export function createApp(context: AppContext): Hono<ApiEnv> {
  const { keys, db, log, now, origin, webAssets } = context
  const secure = origin.startsWith('https:')
  const admission = new Admission(context)
  const isAllowed = (did: Did) => admission.isAllowed(did)
  const sessions = new BrowserSessions({ db, keys, secure, now, isAllowed })
  const adminSessions = new AdminSessions({ db, keys, secure, now })
  const handlers: HandlersOf<Routes> = {
    ...authHandlers(context, sessions, admission),
    ...userHandlers(context, sessions),
    ...accountHandlers(context, sessions),
    ...domainHandlers(context, sessions),
    ...customDomainHandlers(context),
    ...foreignSiteHandlers(context),
    ...siteHandlers(context),
    ...versionHandlers(context),
    ...uploadHandlers(context, sessions),
    ...deployHandlers(context),
    ...tokenHandlers(context),
    ...publisherHandlers(context),
    ...webhookHandlers(context),
    ...foreignWebhookHandlers(context),
    ...adminHandlers(context, adminSessions),
    ...adminLogHandlers(context, adminSessions),
    ...adminReadHandlers(context),
    ...adminListHandlers(context),
    ...adminActionHandlers(context),
    ...moderationHandlers(context),
    ...healthAndMetadataHandlers(context),
  }
  const deployers = new Deployers({ ...context, isAllowed })
  const serviceAuth = new ServiceAuth({ ...context, isAllowed })
  const guards: Guards = {
    service: (c) => serviceAuth.use(c),
    limits: new RateLimits(context),
    grant: (session) => confirmGrant(session, context),
    ended: (did) => endIfGrantEnded(did, context),
    'signed-in': async (c) => {
      const { headers } = c.req.raw
      const session = await sessions.read(headers)
      if (session === null && tokenIn(headers) !== null)
        throw new ApiError(403, sentences.tokenElsewhere)
      return session ?? refuse()
    },
    deployer: async (c) => {
      const { headers } = c.req.raw
      const secret = tokenIn(headers)
      if (secret !== null) return await deployers.use(secret, c)
      const { did } = (await sessions.read(headers)) ?? refuse()
      return { did, token: null }
    },
    admin: async (c, route) => {
      const { headers } = c.req.raw
      const session = route?.isPolled ? adminSessions.peek(headers) : adminSessions.read(headers)
      return (await session) ?? refuse()
    },
  }
  const app = new Hono<ApiEnv>()
  app.use(traced(context))
  if (context.spans !== undefined) app.use(spanned(context.spans))
  app.use(headLength)
  app.use(securityHeaders({ isHttps: secure, sites: context.labelUrl('*').replace(/\/$/, '') }))
  app.use(async (c, next) => {
    const isAllowed = safeMethods.has(c.req.method) || isSameOrigin(c.req.raw.headers, origin)
    if (!isAllowed) {
      if (isReportForm(c)) c.set('failurePage', reportFailedPage)
      throw new ApiError(403, literals.crossOrigin)
    }
    await next()
  })
  app.onError(answerError(log))
  app.notFound((c) => c.json({ error: literals.notFound }, 404))

  bindRoutes(app, routes, handlers, guards)
  app.on('ALL', ownSections, async (c, next) => {
    await guards['signed-in'](c)
    await next()
  })
  app.on('ALL', '/api/admin/*', async (c, next) => {
    await guards.admin(c)
    await next()
  })
  const own = { handlers, limits: guards.limits, log, sessions }
  const answerAsset = async (c: Context<ApiEnv>, at: string, status: 200 | 404) => {
    const { headers } = c.req.raw
    const locale = localeOf(headers)
    const asset = webAssets.get(documentKey(at, locale)) ?? webAssets.get(at)
    if (asset === undefined) throw new ApiError(404, literals.notFound)
    c.set('scriptHash', asset.scriptHash)
    c.set('styleHash', asset.styleHash)
    const { draw } = asset
    const drawn = draw && status === 200 ? await answerOwnPage(c, draw, own) : null
    const answer = drawn ?? (await assetAnswer(asset, headers, status))
    if (webAssets.has(documentKey(at, 'de'))) {
      answer.headers.set('content-language', locale)
      answer.headers.append('vary', 'Accept-Language, Cookie')
    }
    return answer
  }
  app.get('*', (c) => {
    const { path } = c.req
    const { headers } = c.req.raw
    const at = assetPath(path)
    if (webAssets.has(at)) return answerAsset(c, at, 200)
    // People get the web app with status 404: it reads its own address and shows a "not found" page.
    const document = path.startsWith(`${adminPage}/`) ? adminPage : noPage
    return headers.get('accept')?.includes('text/html')
      ? answerAsset(c, document, 404)
      : c.notFound()
  })
  return app
}

/** Before any route: a person may have sent it. */
const isReportForm = (c: Context<ApiEnv>): boolean =>
  c.req.path === routes.sendReportPage.path && !sendsJson(c)

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** False for requests by pages of other origins (CSRF, decisions.md §1). */
function isSameOrigin(headers: Headers, origin: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const sender = headers.get('origin')
  // Without both it is not a browser.
  return sender === null || sender === origin
}

function refuse(): never {
  throw new ApiError(401, literals.unauthorized)
}
