import { createMiddleware } from 'hono/factory'
import { literals } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** CSRF protection: rejects changes requested by pages of other origins (decisions.md §1). */
export function sameOriginOnly(origin: string) {
  return createMiddleware(async (c, next) => {
    if (!safeMethods.has(c.req.method) && !isSameOrigin(c.req.raw.headers, origin)) {
      throw new ApiError(403, literals.crossOrigin)
    }
    await next()
  })
}

function isSameOrigin(headers: Headers, origin: string): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const sender = headers.get('origin')
  // Without both it is not a browser.
  return sender === null || sender === origin
}
