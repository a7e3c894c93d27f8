import { createMiddleware } from 'hono/factory'

/**
 * Sets the `Content-Length` of answers to HEAD. Hono drops the body before Bun counts it, and Bun would claim a length
 * of 0 (RFC 9110 §8.6 forbids any but the one of GET).
 */
export const headLength = createMiddleware(async (c, next) => {
  await next()
  if (c.req.method !== 'HEAD' || c.res.body === null) return
  c.res.headers.set('content-length', String((await c.res.arrayBuffer()).byteLength))
})

/**
 * The answer to HEAD when GET streams a body of unknown length. Without this header Bun would claim a length of 0 here,
 * too (RFC 9110 §9.3.2 permits HEAD to leave the length out).
 */
export function headOfStream(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { headers: { ...headers, 'transfer-encoding': 'chunked' } })
}
