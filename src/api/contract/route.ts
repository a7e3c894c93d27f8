import type { z } from 'zod'
import type { Answer, PayloadOf } from './answers.ts'
import { jsonBytesMax, type RateLimitName, rateLimits, refusedTokens } from './limits.ts'
import { bodyTooLarge, like, literals, type Message, sentences } from './messages.ts'

/** The declaration of one route, without its handler. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` for what varies. */
  readonly path: `/${string}`
  /** Of interface.md, or `decisions §…`. */
  readonly section: string
  /** One line for readers. */
  readonly summary: string
  /** More, in sentences. */
  readonly details?: string
  readonly access: Access
  /** Open pages ask again and again: does not count as use of the administrator's session. */
  readonly isPolled?: true
  /** Programs may call it, too, with a token of the account's server (docs/adr/0031). */
  readonly takesServiceAuth?: true
  /** Its `:id` is a deploy's: of several instances, the one whose spool has its files answers. */
  readonly isOfSpool?: true
  /** The account's server must have confirmed the grant within the last minute: the action cannot be undone. */
  readonly confirmsGrant?: true
  /** How often clients and accounts may call it (`rateLimits`). */
  readonly limit?: RateLimitName
  /**
   * `success`: failures have `success: false` alongside their `error`. `report-page`: a page for people, except for those who send JSON.
   */
  readonly failureShape?: 'success' | 'report-page'
  /** By `:name` of the path; for the document only: handlers answer 404 to unknown values. */
  readonly params?: Readonly<Record<string, z.ZodType<string>>>
  /** By query parameter; other values are answered with 400. */
  readonly query?: Readonly<Record<string, z.ZodType>>
  readonly body?: RouteBody
  /** By status. What a handler answers with. */
  readonly answers: Readonly<Record<number, Answer>>
  /** By status. What a handler throws, and what is checked before it is called. */
  readonly failures?: Failures
}

export type Failures = Readonly<Record<number, readonly Message[]>>

/** Who may call: everybody, a person who is signed in, one or a program with a deploy token, an administrator. */
export type Access = 'public' | 'signed-in' | 'deployer' | 'admin'

export type RouteBody =
  /** Read up to 64 KiB, parsed and handed to the handler. Optional: none counts as `{}`. */
  | { readonly kind: 'json'; readonly schema: z.ZodType; readonly isOptional?: true }
  /** JSON that the handler reads and parses itself. */
  | { readonly kind: 'unread-json'; readonly schema: z.ZodType }
  /** `multipart/form-data` that the handler reads as it arrives. */
  | { readonly kind: 'unread-form'; readonly schema: z.ZodType }
  /** Bytes that the handler reads as they arrive. */
  | { readonly kind: 'unread-bytes'; readonly schema: z.ZodType }

/** Adds the failures that every route of its kind has. */
export function defineRoute<const R extends Route>(
  route: R,
): Omit<R, 'failures'> & { readonly failures: Failures } {
  return { ...route, failures: failuresOf(route) }
}

function failuresOf(route: Route): Failures {
  const {
    access,
    answers,
    body,
    confirmsGrant,
    failures = {},
    limit,
    method,
    takesServiceAuth,
  } = route
  const all = new Map<number, Message[]>()
  const add = (status: number, messages: readonly Message[]) =>
    all.set(status, [...new Set([...(all.get(status) ?? []), ...messages])])
  if (access !== 'public') {
    add(401, [literals.unauthorized])
    // A route that answers with this status declares the sentence itself.
    if (!(503 in answers)) add(503, [sentences.storageAway])
  }
  if (access === 'signed-in') add(403, [sentences.tokenElsewhere])
  if (access === 'deployer') {
    add(401, tokenRefusals)
    add(403, [sentences.tokenOfOtherSite, sentences.tokenForPreviews])
    add(429, [tooManyRefused])
  }
  if (takesServiceAuth) {
    add(401, serviceTokenRefusals)
    add(429, [tooManyRefused])
    add(502, [sentences.identityUnanswered])
  }
  if (confirmsGrant) add(502, [sentences.grantUnconfirmed])
  if (limit) add(429, [like(`Too many ${rateLimits[limit].what}. Try again in 20 seconds.`)])
  if (method !== 'GET') add(403, [literals.crossOrigin])
  if (body?.kind === 'json') {
    add(400, ['body: expected JSON', fieldRefused(body.schema)])
    add(413, [bodyTooLarge(jsonBytesMax)])
  }
  if (body?.kind === 'json' || body?.kind === 'unread-json') add(408, [sentences.bodyTooSlow])
  for (const [status, messages] of Object.entries(failures)) add(Number(status), messages)
  return Object.fromEntries(all)
}

/** The form of this failure, other than `error` alone: a 401 and requests of other origins are answered alike on every route. */
export function failureShapeAt(
  { failureShape, failures }: Route,
  status: number,
): Route['failureShape'] {
  const isOfRoute = failures?.[status]?.some((message) => message !== literals.crossOrigin) ?? true
  return status !== 401 && isOfRoute ? failureShape : undefined
}

const tooManyRefused = like(`Too many ${refusedTokens.what}. Try again in 20 seconds.`)

const serviceTokenRefusals = [
  sentences.serviceTokenInvalid,
  sentences.serviceTokenForOthers,
  sentences.serviceTokenExpired,
  sentences.serviceTokenUsed,
  sentences.serviceTokenOfNobody,
]

const tokenRefusals = [
  sentences.tokenUnknown,
  sentences.tokenExpired,
  sentences.tokenRevoked,
  sentences.tokenSignedOut,
]

function fieldRefused(schema: z.ZodType): Message {
  const [field = 'body'] = 'shape' in schema ? Object.keys(schema.shape as object) : []
  return like(`${field}: expected a string`)
}

/** Failures of the account's server, for routes that call it. */
export const accountServerFailures = {
  429: [sentences.serverBusy],
  502: [
    sentences.serverUnanswered,
    sentences.serverFault,
    like('Your account’s server refused: InvalidSwap'),
    like(
      'Your account’s server gave an answer that Sitehost cannot use (com.atproto.repo.getRecord: value). Try again later, or tell whoever runs that server.',
    ),
  ],
  503: [sentences.requestsBusy],
} as const satisfies Failures

export type ParamsOf<R extends Route> = { readonly [Name in ParamName<R['path']>]: string }

type ParamName<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? ParamName<Head> | ParamName<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

export type QueryOf<R extends Route> = R extends { readonly query: infer Query }
  ? { readonly [Name in keyof Query]: OutputOf<Query[Name]> }
  : Record<never, never>

export type BodyOf<R extends Route> = R extends {
  readonly body: { readonly kind: 'json'; readonly schema: infer Schema }
}
  ? OutputOf<Schema>
  : undefined

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : never

/** A declared status. */
export type StatusOf<R extends Route> = keyof R['answers'] & number

export type PayloadAt<
  R extends Route,
  Status extends StatusOf<R>,
> = R['answers'][Status] extends infer A extends Answer ? PayloadOf<A> : never
