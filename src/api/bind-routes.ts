import type { Context, Hono, Handler as HonoHandler } from 'hono'
import type { ContentfulStatusCode, RedirectStatusCode, StatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import type {
  Access,
  BodyOf,
  ParamsOf,
  PayloadAt,
  QueryOf,
  Route,
  StatusOf,
} from '#api/contract/route.ts'
import { reportFailedPage } from '#api/document/report-page.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import type { Did } from '#site/site-address.ts'
import type { AdminSession, BrowserSession } from '#store/accounts/sessions.ts'
import { parse, parseBody } from './body.ts'
import type { ApiEnv } from './context.ts'
import type { RateLimits } from './rate-limits.ts'
import type { Deployer } from './session/deployers.ts'
import type { Owner } from './session/service-auth.ts'

/** One request to a route, typed by its declaration. */
export interface Call<R extends Route> {
  readonly params: ParamsOf<R>
  readonly query: QueryOf<R>
  readonly body: BodyOf<R>
  /** Null on public routes. */
  readonly session: R extends { readonly takesServiceAuth: true } ? Owner : SessionOf<R['access']>
  /** Makes a response of a declared status. */
  readonly answer: <Status extends StatusOf<R>>(
    status: Status,
    payload: PayloadAt<R, Status>,
  ) => Answered
  /** Throws ApiError 401 if the session has ended; for handlers that read the body, to call after that. */
  readonly confirmSession: () => Promise<void>
  /** For cookies, unread bodies and the connection, which a declaration does not cover. */
  readonly c: Context<ApiEnv>
}

declare const answered: unique symbol

/** A response that `answer` made. */
export type Answered = Response & { readonly [answered]: true }

export type Handler<R extends Route> = (call: Call<R>) => Answered | Promise<Answered>

/** Exactly one handler for each of these routes. */
export type HandlersOf<Rs extends Readonly<Record<string, Route>>> = {
  readonly [Name in keyof Rs]: Handler<Rs[Name]>
}

type SessionOf<A extends Access> = A extends 'signed-in'
  ? BrowserSession
  : A extends 'deployer'
    ? Deployer
    : A extends 'admin'
      ? AdminSession
      : null

/** Each lets a request through or throws. Guards of an access run again once a body has arrived. */
export type Guards = {
  readonly [A in Exclude<Access, 'public'>]: (
    c: Context<ApiEnv>,
    route?: Pick<Route, 'isPolled'>,
  ) => SessionOf<A> | Promise<SessionOf<A>>
} & {
  /** For routes with `takesServiceAuth`, before the others; null: the request brings no such token. */
  readonly service: (c: Context<ApiEnv>) => Promise<Owner | null>
  /** For routes with `confirmsGrant`, after the others. */
  readonly grant: (session: Owner) => Promise<void>
  /** Called when the account's server has ended the grant: signs the account out everywhere. */
  readonly ended: (did: Did) => Promise<void>
  readonly limits: Pick<RateLimits, 'countClient' | 'countAccount'>
}

export function bindRoutes<Rs extends Readonly<Record<string, Route>>>(
  app: Hono<ApiEnv>,
  routes: Rs,
  handlers: HandlersOf<Rs>,
  guards: Guards,
): void {
  for (const [name, route] of Object.entries(routes)) {
    // TypeScript has checked each handler against its own route.
    const handler = handlers[name] as unknown as Handler<Route>
    app.on(route.method, route.path, endpoint(route, handler, guards))
  }
}

function endpoint(route: Route, handler: Handler<Route>, guards: Guards): HonoHandler<ApiEnv> {
  const { access, body, confirmsGrant, failureShape, takesServiceAuth } = route
  const query = route.query && z.object(route.query)
  const failureFields = failureShape === 'success' ? { success: false as const } : undefined
  const answer = answerOf(route)
  return async (c) => {
    if (failureFields !== undefined) c.set('failureFields', failureFields)
    if (failureShape === 'report-page' && !sendsJson(c)) c.set('failurePage', reportFailedPage)
    const redirect = guards.limits.countClient(route, c)
    if (redirect !== null) return redirect
    const enter = async () => {
      const owner = takesServiceAuth ? await guards.service(c) : null
      return owner ?? (access === 'public' ? null : await guards[access](c, route))
    }
    let session = await enter()
    if (isOfAccount(access)) guards.limits.countAccount(route, (session as Owner).did)
    const parsedQuery = query ? parse(query, c.req.query()) : {}
    const parsedBody = body?.kind === 'json' ? await parseBody(c.req.raw, body) : undefined
    try {
      if (confirmsGrant) await guards.grant(session as Owner)
      // Checked again: the session may have ended while a slow client sent the body.
      if (confirmsGrant || body?.kind === 'json') session = await enter()
      return await handler({
        c,
        session: session as null,
        confirmSession: async () => void (await enter()),
        params: c.req.param() as never,
        query: parsedQuery as never,
        body: parsedBody as never,
        answer: (status, payload) => answer(c, status, payload) as Answered,
      })
    } catch (error) {
      if (!(error instanceof SessionEndedError)) throw error
      await guards.ended(error.did)
      // A program gets the sentence of its token, which has ended with the sign-in.
      if (access === 'deployer') await enter()
      throw error
    }
  }
}

/**
 * What a reading route answers this account, as JSON, for a document that has the answer in it. It counts as a request. Throws
 * what the route throws.
 */
export async function answerIn<R extends Route & { readonly access: 'signed-in' }>(
  route: R,
  handler: Handler<R>,
  { c, limits, session }: { c: Context<ApiEnv>; limits: Guards['limits']; session: BrowserSession },
): Promise<string> {
  limits.countAccount(route, session.did)
  const response = await (handler as unknown as Handler<Route>)({
    c,
    session: session as never,
    confirmSession: async () => undefined,
    params: {} as never,
    query: {} as never,
    body: undefined as never,
    answer: (status, payload) => Response.json(payload, { status }) as Answered,
  })
  return await response.text()
}

const isOfAccount = (access: Access): boolean => access === 'signed-in' || access === 'deployer'

export const sendsJson = (c: Context<ApiEnv>): boolean =>
  /^application\/json\b/i.test(c.req.header('content-type') ?? '')

/** Answers are type-checked, not validated at run time. */
function answerOf({ answers }: Route) {
  return (c: Context<ApiEnv>, status: number, payload: unknown): Response => {
    const declared = answers[status]
    const code = status as ContentfulStatusCode
    switch (declared?.kind) {
      case 'json':
        return c.json(payload as object, code)
      case 'text':
        return c.text(String(payload), code)
      case 'document':
        if (payload instanceof Response) return payload
        return c.body(String(payload), code, { 'content-type': declared.mediaType })
      case 'redirect':
        return c.redirect(String(payload), status as RedirectStatusCode)
      case 'events':
      case 'file':
      case 'download':
        return payload as Response
      case 'empty':
        return c.body(null, status as StatusCode)
      case undefined:
        throw new TypeError(`a status that is not declared: ${status}`)
    }
  }
}
