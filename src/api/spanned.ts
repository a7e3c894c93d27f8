import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Spans } from '#observe/spans.ts'
import type { ApiEnv } from './context.ts'

/** Paths of the API; others are pages, health and metadata. */
const apiPath = /^\/(api|sitehost)\//

/** Records a span for each request to the API, under its route: what stands in its path is not in the name. */
export function spanned(spans: Spans): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const { method, path } = c.req
    if (!apiPath.test(path)) return await next()
    return await spans.run(method, { 'http.request.method': method }, async (span) => {
      await next()
      const route = matchedRoutes(c).findLast((matched) => !matched.path.includes('*'))
      if (route !== undefined) {
        span.rename(`${method} ${route.path}`)
        span.set('http.route', route.path)
      }
      span.set('http.response.status_code', c.res.status)
    })
  }
}
