import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import type { signInRoutes } from '#api/contract/sign-ins.ts'
import { ApiError } from '#api/errors.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { revokeIfUnused } from '#api/session/sign-ins.ts'
import { deleteBrowserSessionOf } from '#store/accounts/sessions.ts'
import { isoOf } from './iso-of.ts'

/** `/api/user/sessions`: the browsers in which the signed-in account is signed in. */
export function signInHandlers(
  context: ApiContext,
  sessions: BrowserSessions,
): HandlersOf<typeof signInRoutes> {
  const { db, log } = context
  return {
    listSignIns: async ({ session: { did, idHash }, answer }) => {
      const rows = await sessions.list(did)
      return answer(200, {
        sessions: rows.map((row) => ({
          // A hash of the secret: it cannot be used to sign in.
          id: row.idHash,
          createdAt: isoOf(row.createdAt),
          lastUsedAt: isoOf(row.seenAt),
          device: row.device,
          current: row.idHash === idHash,
        })),
      })
    },

    endSignIn: async ({ params: { id }, session: { did, idHash }, answer, c }) => {
      const isEnded = isSignInId(id) && (await deleteBrowserSessionOf(db, did, id))
      if (!isEnded) throw new ApiError(404, sentences.signInNotFound)
      await revokeIfUnused(did, context)
      log.info('sign-in ended', { did })
      if (id === idHash) {
        for (const cookie of sessions.expired()) c.header('set-cookie', cookie, { append: true })
      }
      return answer(200, { success: true })
    },
  }
}

const isSignInId = (id: string): boolean => /^[0-9a-f]{64}$/.test(id)
