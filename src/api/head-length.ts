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

/**
 * The answer to HEAD where that to GET is streamed, so that its length is unknown. Without the
 * header Bun would claim a length of 0 here too (RFC 9110 §9.3.2: what is only known then may be left out).
 */
export function headOfStream(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { headers: { ...headers, 'transfer-encoding': 'chunked' } })
}
