import type { Guards } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import { literals } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { confirmGrant } from './grant-check.ts'
import type { AdminSessions, BrowserSessions } from './sessions.ts'
import { endIfGrantEnded } from './sign-ins.ts'

/** Who may pass, for each way a route may be called. They throw ApiError 401. */
export function guardsOf(
  context: ApiContext,
  sessions: BrowserSessions,
  adminSessions: AdminSessions,
): Guards {
  return {
    grant: (session) => confirmGrant(session, context),
    ended: (did) => endIfGrantEnded(did, context),
    'signed-in': async (c) => (await sessions.read(c.req.raw.headers)) ?? refuse(),
    admin: async (c) => (await adminSessions.read(c.req.raw.headers)) ?? refuse(),
  }
}

function refuse(): never {
  throw new ApiError(401, literals.unauthorized)
}
