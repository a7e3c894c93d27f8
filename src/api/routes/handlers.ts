import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { oauthClientRoutes } from '#api/contract/oauth-client.ts'
import type { Routes } from '#api/contract/routes.ts'
import type { AdminSessions, BrowserSessions } from '#api/session/sessions.ts'
import { adminHandlers } from './admin.ts'
import { authHandlers } from './auth.ts'
import { publicDomainHandlers } from './domain.ts'
import { customDomainHandlers } from './domain-custom.ts'
import { subdomainHandlers } from './domain-subdomains.ts'
import { leavingHandlers } from './leaving.ts'
import { machineHandlers } from './machines.ts'
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

// Far below the hour for which a new key is shown before it signs.
const cacheControl = 'public, max-age=600'

/** What account servers read of us before they let anybody sign in here (decisions.md §1). */
function oauthClientHandlers({ oauth }: ApiContext): HandlersOf<typeof oauthClientRoutes> {
  return {
    readClientMetadata: async ({ answer, c }) => {
      const metadata = await oauth.clientMetadata()
      c.header('cache-control', cacheControl)
      return answer(200, metadata)
    },
    readPublicKeys: async ({ answer, c }) => {
      const publicKeys = await oauth.publicKeys()
      c.header('cache-control', cacheControl)
      return answer(200, publicKeys)
    },
  }
}
