import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { Routes } from '#api/contract/routes.ts'
import type { AdminSessions, BrowserSessions } from '#api/session/sessions.ts'
import { adminHandlers } from './admin.ts'
import { authHandlers } from './auth.ts'
import { publicDomainHandlers } from './domain.ts'
import { customDomainHandlers } from './domain-custom.ts'
import { subdomainHandlers } from './domain-subdomains.ts'
import { leavingHandlers } from './leaving.ts'
import { machineHandlers } from './machines.ts'
import { oauthClientHandlers } from './oauth-client.ts'
import { siteHandlers } from './site.ts'
import { uploadHandlers } from './uploads.ts'
import { userHandlers } from './user.ts'
import { signInHandlers } from './user-sessions.ts'

/** What every route of the contract does. */
export function handlersOf(
  context: ApiContext,
  sessions: BrowserSessions,
  adminSessions: AdminSessions,
): HandlersOf<Routes> {
  return {
    ...authHandlers(context, sessions),
    ...userHandlers(context),
    ...signInHandlers(context, sessions),
    ...leavingHandlers(context, sessions),
    ...publicDomainHandlers(context, sessions),
    ...subdomainHandlers(context),
    ...customDomainHandlers(context),
    ...siteHandlers(context),
    ...uploadHandlers(context),
    ...adminHandlers(context, adminSessions),
    ...oauthClientHandlers(context),
    ...machineHandlers(context),
  }
}
