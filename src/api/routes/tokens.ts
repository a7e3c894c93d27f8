import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import { deployTokensMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import type { TokenRow, tokenRoutes } from '#api/contract/tokens.ts'
import { ApiError } from '#api/errors.ts'
import { newTokenSecret } from '#api/session/deployers.ts'
import { secretHash } from '#api/session/secrets.ts'
import { recordEvent } from '#observe/events.ts'
import {
  createDeployToken,
  type DeployToken,
  listDeployTokens,
  revokeDeployToken,
} from '#store/accounts/deploy-tokens.ts'
import { isoOf, isoOrNull } from './iso-of.ts'
import { siteNameOf } from './own-site.ts'

const dayMs = 24 * 60 * 60 * 1000

/** `/api/site/:rkey/tokens`: with which programs deploy a site (docs/http-api.md, "Deploy tokens"). */
export function tokenHandlers(
  context: Pick<ApiContext, 'db' | 'log' | 'now'>,
): HandlersOf<typeof tokenRoutes> {
  const { db, log, now } = context
  return {
    listTokens: async ({ params, session: { did }, answer }) => {
      const tokens = await listDeployTokens(db, { did, name: siteNameOf(params.rkey) })
      return answer(200, { tokens: tokens.map(tokenRow) })
    },

    createToken: async ({ params, session: { authority, did }, body, answer }) => {
      const site = siteNameOf(params.rkey)
      const { expiresInDays, name, scope } = body
      const secret = newTokenSecret()
      const createdAt = now()
      const token = {
        ...{ id: crypto.randomUUID(), hash: secretHash(secret), did, site, name, scope, authority },
        publisherId: null,
        expiresAt: createdAt + expiresInDays * dayMs,
      }
      const limits = { tokensMax: deployTokensMax, now: createdAt }
      if (!(await createDeployToken(db, token, limits))) {
        throw new ApiError(409, sentences.tokensMax)
      }
      recordEvent(log, 'token_created', { did, site, subject: token.id, action: scope })
      const row = tokenRow({ ...token, createdAt, usedAt: null, endedBy: null })
      return answer(200, { secret, token: row })
    },

    revokeToken: async ({ params: { id, rkey }, session: { did }, answer }) => {
      const site = { did, name: siteNameOf(rkey) }
      // Checked before the database query: PostgreSQL rejects strings that hold NUL.
      const isId = /^[0-9a-f-]{36}$/.test(id)
      if (!(isId && (await revokeDeployToken(db, site, id)))) {
        throw new ApiError(404, sentences.tokenNotFound)
      }
      recordEvent(log, 'token_revoked', { did, site: site.name, subject: id })
      return answer(200, { success: true })
    },
  }
}

const tokenRow = ({ id, name, scope, createdAt, expiresAt, usedAt }: DeployToken): TokenRow => ({
  ...{ id, name, scope },
  createdAt: isoOf(createdAt),
  expiresAt: isoOf(expiresAt),
  lastUsedAt: isoOrNull(usedAt),
})
