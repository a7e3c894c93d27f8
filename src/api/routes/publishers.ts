import type { HandlersOf } from '#api/bind-routes.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { exchangedTokenMinutes, exchangedTokensMax, publishersMax } from '#api/contract/limits.ts'
import { claimSentences, sentences } from '#api/contract/messages.ts'
import type { PublisherRow, publisherRoutes } from '#api/contract/publishers.ts'
import type { BodyOf } from '#api/contract/route.ts'
import { ApiError } from '#api/errors.ts'
import { newTokenSecret } from '#api/session/deployers.ts'
import {
  idTokenLeewayMs,
  isEqualInAnyCase,
  isSigned,
  type Job,
  jobOf,
  mismatchOf,
  type ParsedIdToken,
  parseIdToken,
  problemOf,
} from '#api/session/id-token.ts'
import { IssuerError, IssuerKeys } from '#api/session/issuer-keys.ts'
import { secretHash } from '#api/session/secrets.ts'
import { recordEvent } from '#observe/events.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { type Did, parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findDidByHandle } from '#store/accounts/accounts.ts'
import {
  createPublisher,
  deletePublisher,
  exchangeIdToken,
  listPublishers,
  type Publisher,
} from '#store/accounts/publishers.ts'
import { isoOf, isoOrNull } from './iso-of.ts'
import { siteNameOf } from './own-site.ts'

type PublisherContext = Pick<
  ApiContext,
  'allowPrivateHosts' | 'db' | 'elapsed' | 'fetchIssuer' | 'log' | 'now' | 'origin'
>

/** `/api/site/:rkey/publishers`, and the exchange of their jobs' tokens (docs/http-api.md, "Publishers"). */
export function publisherHandlers(context: PublisherContext): HandlersOf<typeof publisherRoutes> {
  const { allowPrivateHosts, db, log, now } = context
  const keys = new IssuerKeys({ elapsed: context.elapsed, fetch: context.fetchIssuer })
  const exchanges = new ConcurrencyLimit(exchangesOfAccount)
  const refusals = rateLimitedLog(log)
  return {
    listPublishers: async ({ params, session: { did }, answer }) => {
      const publishers = await listPublishers(db, { did, name: siteNameOf(params.rkey) })
      return answer(200, { publishers: publishers.map(publisherRow) })
    },

    addPublisher: async ({ params, session: { authority, did }, body, answer }) => {
      const site = siteNameOf(params.rkey)
      const { environment = null, issuer, ref = null, repository, scope } = body
      if (scope === 'deploy' && ref === null && environment === null) {
        throw new ApiError(400, sentences.publisherTooWide)
      }
      if (!(issuer.startsWith('https:') || allowPrivateHosts)) {
        throw new ApiError(400, sentences.issuerInsecure)
      }
      const publisher = {
        ...{ id: crypto.randomUUID(), did, site, issuer, repository, ref, environment, scope },
        authority,
      }
      const createdAt = now()
      if (!(await createPublisher(db, publisher, { publishersMax, now: createdAt }))) {
        throw new ApiError(409, sentences.publishersMax)
      }
      recordEvent(log, 'publisher_added', { did, site, subject: repository, action: scope })
      return answer(
        200,
        publisherRow({ ...publisher, createdAt, repositoryId: null, usedAt: null }),
      )
    },

    removePublisher: async ({ params: { id, rkey }, session: { did }, answer }) => {
      const site = { did, name: siteNameOf(rkey) }
      // Checked before the database query: PostgreSQL rejects strings that hold NUL.
      const isId = /^[0-9a-f-]{36}$/.test(id)
      if (!(isId && (await deletePublisher(db, site, id)))) {
        throw new ApiError(404, sentences.publisherNotFound)
      }
      recordEvent(log, 'publisher_removed', { did, site: site.name, subject: id })
      return answer(200, { success: true })
    },

    exchangeToken: async ({ body, answer }) => {
      const parsed = parseIdToken(body.token)
      if (parsed === null) throw new ApiError(400, sentences.notIdToken)
      try {
        const publisher = await publisherOf(parsed, body, { ...context, exchanges, keys })
        const { secret, expiresAt } = await exchanged(parsed, publisher, context)
        const { did, scope, site } = publisher
        recordEvent(log, 'token_exchanged', { did, site, subject: publisher.repository })
        return answer(200, { secret, did, site, scope, expiresAt: isoOf(expiresAt) })
      } catch (error) {
        if (error instanceof ApiError) {
          const reason = error.message
          recordEvent(refusals, 'token_refused', { site: body.site, reason })
        }
        if (!(error instanceof IssuerError)) throw error
        refusals.warn('issuer not usable', { error })
        throw new ApiError(502, sentences.issuerUnanswered)
      }
    },
  }
}

/** Strangers may send tokens that name an account, and its owner names the issuers that are asked for their keys. */
const exchangesOfAccount = {
  max: 4,
  waitingMax: 100,
  waitMsMax: 10_000,
  sentence: sentences.exchangesBusy,
  retryAfterSeconds: 10,
}

interface IssuerAsking {
  readonly exchanges: ConcurrencyLimit
  readonly keys: IssuerKeys
}

type ExchangeBody = BodyOf<(typeof publisherRoutes)['exchangeToken']>

/**
 * The publisher whose job has this token. Nothing of the site's publishers is said to whoever has no token that their
 * issuer has signed. Throws ApiError 403, IssuerError.
 */
async function publisherOf(
  parsed: ParsedIdToken,
  { account, site }: ExchangeBody,
  { db, exchanges, keys, now, origin }: PublisherContext & IssuerAsking,
): Promise<Publisher> {
  const { iss } = parsed.claims
  const address = await siteOf(account, site, db)
  const all = address === null ? [] : await listPublishers(db, address)
  // Only issuers that the owner names are asked for their keys.
  const publishers = all.filter(({ issuer }) => issuer === iss)
  const [{ did } = { did: null }] = publishers
  if (did === null) throw new ApiError(403, sentences.noPublisherOf('iss', iss))
  using _ = await exchanges.acquire(did)
  if (!(await isSigned(parsed, keys))) throw new ApiError(403, sentences.idTokenNotSigned)
  const problem = problemOf(parsed, { origin, now: now() })
  if (problem !== null) throw new ApiError(403, claimSentences(origin)[problem])
  const found = bestOf(jobOf(parsed), publishers)
  if ('publisher' in found) return found.publisher
  const { claim, otherCase, value } = found
  throw new ApiError(
    403,
    otherCase === undefined
      ? sentences.noPublisherOf(claim, value ?? 'none')
      : sentences.environmentCase(value ?? 'none', otherCase),
  )
}

async function siteOf(
  account: string,
  rkey: string,
  db: ApiContext['db'],
): Promise<SiteAddress | null> {
  const name = parseSiteName(rkey)
  const did: Did | null = account.startsWith('did:')
    ? parseDid(account)
    : await findDidByHandle(db, account.toLowerCase())
  return did === null || name === null ? null : { did, name }
}

const claims = ['repository', 'repository_id', 'ref', 'environment'] as const

/** One that may publish rather than one of previews; else the claim that the closest one has otherwise, or in another case. */
function bestOf(job: Job, publishers: readonly Publisher[]) {
  const byScope = publishers.toSorted((a, b) => a.scope.localeCompare(b.scope))
  const looked = byScope.map((publisher) => ({ publisher, claim: mismatchOf(job, publisher) }))
  const fitting = looked.find(({ claim }) => claim === null)
  if (fitting !== undefined) return { publisher: fitting.publisher }
  const claim = claims.findLast((each) => looked.some((one) => one.claim === each)) ?? 'repository'
  const value = claim === 'repository_id' ? job.repositoryId : job[claim]
  const ofClaim = looked.filter((one) => one.claim === claim)
  const names = ofClaim.flatMap(({ publisher }) => publisher.environment ?? [])
  const isEnvironment = claim === 'environment'
  const otherCase = isEnvironment ? names.find((name) => isEqualInAnyCase(name, value)) : undefined
  return { claim, value, otherCase }
}

/** Throws ApiError. */
async function exchanged(
  parsed: ParsedIdToken,
  publisher: Publisher,
  { db, now }: PublisherContext,
): Promise<{ readonly secret: string; readonly expiresAt: number }> {
  const secret = newTokenSecret()
  const { authority, did, id: publisherId, repository, scope, site } = publisher
  const expiresAt = now() + exchangedTokenMinutes * 60_000
  const token = {
    ...{ id: crypto.randomUUID(), hash: secretHash(secret), did, site, scope, authority },
    ...{ name: repository, publisherId, expiresAt },
  }
  const { repositoryId } = jobOf(parsed)
  const idTokenEnd = parsed.claims.exp * 1000 + idTokenLeewayMs
  const used = { hash: parsed.hash, expiresAt: idTokenEnd, repositoryId }
  const limits = { tokensMax: exchangedTokensMax, now: now() }
  switch (await exchangeIdToken(db, token, used, limits)) {
    case 'exchanged':
      return { secret, expiresAt }
    case 'used-before':
      throw new ApiError(403, sentences.idTokenUsed)
    case 'publisher-gone':
      throw new ApiError(403, sentences.noPublisherOf('repository', repository))
    case 'too-many-tokens':
      throw new ApiError(429, sentences.exchangedMax, { 'retry-after': '60' })
  }
}

const publisherRow = (publisher: Publisher): PublisherRow => {
  const { createdAt, environment, id, issuer, ref, repository, scope, usedAt } = publisher
  return {
    ...{ id, issuer, repository, ref, environment, scope },
    createdAt: isoOf(createdAt),
    lastUsedAt: isoOrNull(usedAt),
  }
}
