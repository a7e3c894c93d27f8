import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { oauthClientRoutes } from '#api/contract/oauth-client.ts'

// Far below the hour for which a new key is shown before it signs.
const cacheControl = 'public, max-age=600'

/** What account servers read of us before they let anybody sign in here (decisions.md §1). */
export function oauthClientHandlers({ oauth }: ApiContext): HandlersOf<typeof oauthClientRoutes> {
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
