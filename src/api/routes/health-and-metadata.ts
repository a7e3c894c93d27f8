import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { healthAndMetadataRoutes } from '#api/contract/health-and-metadata.ts'
import { docsPage, docsStyle } from '#api/document/docs-page.ts'
import { openApiDocument } from '#api/document/openapi.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'

// Far below the hour for which a new key is published before it signs.
const cacheControl = 'public, max-age=600'

/** For programs: health, the interface's description, and what account servers read (decisions.md §1). */
export function healthAndMetadataHandlers(
  context: ApiContext,
): HandlersOf<typeof healthAndMetadataRoutes> {
  const { assertReady, oauth, origin, shutdown } = context
  const log = rateLimitedLog(context.log)
  // Made on first use.
  let openApi: ReturnType<typeof openApiDocument> | undefined
  let docs: Promise<string> | undefined
  return {
    readHealth: ({ answer }) => answer(200, 'ok'),

    readReadiness: async ({ answer, c }) => {
      try {
        if (!shutdown.begun.aborted) {
          await assertReady()
          return answer(200, 'ok')
        }
      } catch (error) {
        log.warn('not ready', { error })
      }
      c.header('retry-after', '5')
      return answer(503, 'not ready')
    },

    readOpenApi: ({ answer }) => {
      openApi ??= openApiDocument(origin)
      return answer(200, openApi)
    },
    readDocs: async ({ answer }) => {
      docs ??= docsPage(openApiDocument(origin))
      return answer(200, await docs)
    },
    readDocsStyle: ({ answer }) => answer(200, docsStyle),

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
