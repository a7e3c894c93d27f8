import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { adminRoutes } from '#api/contract/admin/admin.ts'
import { literals } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { AdminSignIn } from '#api/session/admin-sign-in.ts'
import { KnownDevices } from '#api/session/known-devices.ts'
import type { AdminSessions } from '#api/session/sessions.ts'
import { clientNetworkOf } from '#http/client-address.ts'
import { recordEvent } from '#observe/events.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'

/** `/api/admin/*`: signing administrators in and out (interface.md §4.6). */
export function adminHandlers(
  context: ApiContext,
  sessions: AdminSessions,
): HandlersOf<typeof adminRoutes> {
  const { log, origin, trustedProxies } = context
  // Anybody can cause a refusal.
  const limited = rateLimitedLog(log)
  const devices = new KnownDevices({ ...context, secure: origin.startsWith('https:') })
  const signIn = new AdminSignIn(context)

  return {
    signInAdmin: async ({ body, answer, c }) => {
      const { username: name, password } = body
      const { headers } = c.req.raw
      const network = clientNetworkOf(c.req.raw, c.env?.server, trustedProxies)
      const device = devices.read(headers, name)
      const admin = await signIn.check({ name, network, device }, password)
      if (admin === null) {
        // Without the name: some people type their password there.
        recordEvent(limited, 'admin_refused', { network })
        throw new ApiError(401, literals.invalidCredentials)
      }
      const before = await sessions.read(headers)
      c.header('set-cookie', await sessions.start(admin.id))
      if (device === null) c.header('set-cookie', devices.remember(name), { append: true })
      if (before !== null) await sessions.end(before)
      recordEvent(log, 'admin_signed_in', { actor: name, network })
      return answer(200, { success: true })
    },

    signOutAdmin: async ({ session, answer, c }) => {
      await sessions.end(session)
      recordEvent(log, 'admin_signed_out', { actor: session.username })
      c.header('set-cookie', sessions.expired())
      return answer(200, { success: true })
    },

    readAdminStatus: async ({ answer, c }) => {
      const session = await sessions.read(c.req.raw.headers)
      if (session !== null) return answer(200, { authenticated: true, username: session.username })
      // Requests from other sites come without the cookie (SameSite=Strict) and must not remove it.
      if (sessions.isNamed(c.req.raw.headers)) c.header('set-cookie', sessions.expired())
      return answer(200, { authenticated: false })
    },
  }
}
