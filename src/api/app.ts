import { Hono } from 'hono'
import { authRoutes } from './auth.ts'
import type { ApiContext } from './context.ts'
import { domainRoutes } from './domain.ts'
import { answerError } from './errors.ts'
import { headLength } from './head-length.ts'
import { sameOriginOnly } from './same-origin.ts'
import { securityHeaders } from './security-headers.ts'
import { BrowserSessions } from './sessions.ts'
import { siteRoutes } from './site.ts'
import { uploadRoutes } from './uploads.ts'
import { userRoutes } from './user.ts'
import type { ApiEnv } from './variables.ts'

/** A file of the web app, ready to be sent. */
export interface WebAsset {
  readonly body: Blob
  readonly contentType: string
  /** Its name changes with its content. */
  readonly isImmutable: boolean
}

interface AppContext extends ApiContext {
  /** By path, such as `/` and `/app-1a2b3c.js`. */
  readonly webAssets: ReadonlyMap<string, WebAsset>
  /** Rejects when the service cannot do its work now. */
  readonly assertReady: () => Promise<void>
}

/** The application on its own host: its routes, its pages, and nothing of any site. */
export function createApp(context: AppContext): Hono<ApiEnv> {
  const { keys, db, log, now, origin, webAssets } = context
  const secure = origin.startsWith('https:')
  const sessions = new BrowserSessions({ db, keys, secure, now })
  const app = new Hono<ApiEnv>()
  app.use(headLength)
  app.use(securityHeaders({ isHttps: secure }))
  app.use(sameOriginOnly(origin))
  app.onError(answerError(log))
  app.notFound((c) => c.json({ error: 'Not found' }, 404))

  app.route('/api/auth', authRoutes(context, sessions))
  app.route('/api/user', userRoutes(context, sessions))
  app.route('/api/domain', domainRoutes(context, sessions))
  app.route('/api/site', siteRoutes(context, sessions))
  app.route('/sitehost', uploadRoutes(context, sessions))
  app.get('/healthz', (c) => c.text('ok'))
  app.get('/readyz', async (c) => {
    try {
      await context.assertReady()
      return c.text('ok')
    } catch (error) {
      log.warn('not ready', { error })
      return c.text('not ready', 503)
    }
  })
  app.get('*', (c) => {
    const asset = webAssets.get(c.req.path)
    if (asset === undefined) return c.notFound()
    const cacheControl = asset.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
    return new Response(asset.body, {
      headers: { 'content-type': asset.contentType, 'cache-control': cacheControl },
    })
  })
  return app
}
