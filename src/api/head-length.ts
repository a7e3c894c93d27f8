import { createMiddleware } from 'hono/factory'

/**
 * Says in the answer to HEAD how long that to GET would be. Hono drops the body before Bun counts it,
 * which then claims a length of 0 (RFC 9110 §8.6 forbids any but the real one).
 */
export const headLength = createMiddleware(async (c, next) => {
  await next()
  if (c.req.method !== 'HEAD' || c.res.body === null) return
  c.res.headers.set('content-length', String((await c.res.arrayBuffer()).byteLength))
})
