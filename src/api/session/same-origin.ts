import { createMiddleware } from 'hono/factory'
import { literals } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Refuses changes that a page of another origin asks for with the visitor's cookies (decisions.md §1). */
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
  // Neither: not a browser, so no cross-site request with a visitor's cookies.
  return sender === null || sender === origin
}
