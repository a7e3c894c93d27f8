import { createMiddleware } from 'hono/factory'
import { ApiError } from './errors.ts'
import type { BrowserSessions } from './sessions.ts'
import type { ApiEnv } from './variables.ts'

/** Lets only signed-in requests through; handlers find the session in `c.var.session`. */
export function signedIn(sessions: BrowserSessions) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const session = await sessions.read(c.req.raw.headers)
    if (session === null) throw new ApiError(401, 'Unauthorized')
    c.set('session', session)
    await next()
  })
}
