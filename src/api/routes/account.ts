import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import type { accountRoutes } from '#api/contract/account.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { headOfStream } from '#api/head-length.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { deleteAccount } from '#publish/account-deletions.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { exportAccount } from './account-export.ts'
import { isoOf } from './iso-of.ts'

/** Per account: each export reads all its data. */
const exportsAtOnceMax = 1

/** Exporting and deleting the signed-in account. */
export function accountHandlers(
  context: ApiContext,
  sessions: BrowserSessions,
): HandlersOf<typeof accountRoutes> {
  const { db, now } = context
  const exporting = new ConcurrencyLimit({
    max: exportsAtOnceMax,
    sentence: sentences.exportRunning,
    retryAfterSeconds: 10,
  })
  return {
    exportAccount: async ({ c, session: { did }, answer }) => {
      const account = await findAccount(db, did)
      const name = (account?.handle ?? did).replace(/[^a-zA-Z0-9.-]/g, '-')
      const date = isoOf(now()).slice(0, 10)
      const headers = {
        'content-type': 'application/json',
        'content-disposition': `attachment; filename="sitehost-${name}-${date}.json"`,
      }
      // Hono drops the body of an answer to HEAD without cancelling it, so the permit would never be released.
      if (c.req.method === 'HEAD') return answer(200, headOfStream(headers))
      const permit = await exporting.acquire(did)
      onAbort(c.req.raw.signal, () => permit[Symbol.dispose]())
      return answer(200, new Response(exportAccount(did, context, permit), { headers }))
    },

    deleteAccount: async ({ c, body: { records = false }, session: { did }, answer }) => {
      // Bun would close the connection, which is silent while records are deleted.
      c.env.server?.timeout(c.req.raw, 0)
      if ((await deleteAccount(did, { records }, context)) === 'publishing') {
        throw new ApiError(409, sentences.somethingPublished)
      }
      for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      return answer(200, { success: true })
    },
  }
}
