import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { healthAndMetadataRoutes } from '#api/contract/health-and-metadata.ts'
import { literals } from '#api/contract/messages.ts'
import { docsPage } from '#api/document/docs-page.ts'
import { docsStyle } from '#api/document/docs-style.ts'
import { openApiDocument } from '#api/document/openapi.ts'
import { ApiError } from '#api/errors.ts'
import { assetAnswer, makeWebAsset, type WebAsset } from '#api/web-asset.ts'
import { isBearer } from '#http/bearer.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { engineOf } from '#site/page-errors.ts'

// Far below the hour for which a new key is published before it signs.
const cacheControl = 'public, max-age=600'

const stopping = { problem: 'The service is stopping.', error: null }

/** For programs: health, errors of pages, the interface's description, and what account servers read (decisions.md §1). */
export function healthAndMetadataHandlers(
  context: ApiContext,
): HandlersOf<typeof healthAndMetadataRoutes> {
  const { metrics, oauth, origin, shutdown, unready } = context
  const log = rateLimitedLog(context.log)
  const openApi = madeOnce(() =>
    makeWebAsset(JSON.stringify(openApiDocument(origin)), { contentType: 'application/json' }),
  )
  const docs = madeOnce(async () =>
    makeWebAsset(await docsPage(openApiDocument(origin)), {
      contentType: 'text/html; charset=utf-8',
    }),
  )
  const docsCss = madeOnce(() =>
    makeWebAsset(docsStyle, { contentType: 'text/css; charset=utf-8' }),
  )
  return {
    readHealth: ({ answer }) => answer(200, 'ok'),

    readReadiness: async ({ answer, c }) => {
      const parts = shutdown.begun.aborted ? [stopping] : await unready()
      if (parts.length === 0) return answer(200, 'ok')
      for (const { error, problem } of parts) {
        if (error !== null) log.warn('not ready', { problem, error })
      }
      c.header('retry-after', '5')
      return answer(503, ['not ready', ...parts.map(({ problem }) => problem)].join('\n'))
    },

    readMetrics: async ({ answer, c }) => {
      if (metrics === null) throw new ApiError(404, literals.notFound)
      if (!isBearer(c.req.header('authorization'), metrics.token)) {
        throw new ApiError(401, literals.unauthorized, { 'www-authenticate': 'Bearer' })
      }
      c.header('cache-control', 'no-store')
      return answer(200, await metrics.text())
    },

    countPageError: ({ answer, body, c }) => {
      context.pageErrors.add(`${body.name} ${engineOf(c.req.header('user-agent') ?? '')}`)
      return answer(204, null)
    },

    readOpenApi: async ({ answer, c }) =>
      answer(200, await assetAnswer(await openApi(), c.req.raw.headers)),
    readDocs: async ({ answer, c }) =>
      answer(200, await assetAnswer(await docs(), c.req.raw.headers)),
    readDocsStyle: async ({ answer, c }) =>
      answer(200, await assetAnswer(await docsCss(), c.req.raw.headers)),

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

/** Compressing takes a while, and few ask: the first one waits. */
function madeOnce(make: () => Promise<WebAsset>): () => Promise<WebAsset> {
  let made: Promise<WebAsset> | undefined
  return () => {
    made ??= make()
    return made
  }
}
