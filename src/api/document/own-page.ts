import type { Context } from 'hono'
import { answerIn, type Guards, type HandlersOf } from '#api/bind-routes.ts'
import type { ApiEnv } from '#api/context.ts'
import { type Routes, routes } from '#api/contract/routes.ts'
import { ApiError } from '#api/errors.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import type { DrawOwnPage } from '#api/web-asset.ts'
import { preferredCoding } from '#http/accept-encoding.ts'
import { compress } from '#http/compress.ts'
import type { Log } from '#observe/log.ts'

interface OwnPageOptions {
  readonly handlers: Pick<HandlersOf<Routes>, 'readUserInfo' | 'listSites'>
  readonly limits: Guards['limits']
  readonly log: Log
  readonly sessions: BrowserSessions
}

/** A page of more sites takes the service too long to draw: the browser draws it then. */
const answersCharsMax = 100_000

/**
 * The document of an account's page, drawn for whoever is signed in: it is seen before its scripts are there. Nobody keeps it.
 * Null where the plain document does: nobody is signed in, it is no document that a browser opens, or it cannot be drawn.
 */
export async function answerOwnPage(
  c: Context<ApiEnv>,
  draw: DrawOwnPage,
  { handlers, limits, log, sessions }: OwnPageOptions,
): Promise<Response | null> {
  const { headers } = c.req.raw
  if ((headers.get('sec-fetch-dest') ?? 'document') !== 'document') return null
  let html: string
  try {
    const session = await sessions.read(headers)
    if (session === null) return null
    const asked = { c, limits, session }
    const [user, sites] = await Promise.all([
      answerIn(routes.readUserInfo, handlers.readUserInfo, asked),
      answerIn(routes.listSites, handlers.listSites, asked),
    ])
    if (sites.length > answersCharsMax) return null
    const { pathname, search } = new URL(c.req.url)
    const answers = `{"user":${user},"sites":${sites}}`
    html = await draw({ path: pathname + search, answers })
  } catch (error) {
    // The app asks itself then, and says what is wrong.
    if (!(error instanceof ApiError)) log.error('page not drawn', { error })
    return null
  }
  const fields = new Headers({
    'content-type': 'text/html; charset=utf-8',
    vary: 'Accept-Encoding',
  })
  if (preferredCoding(headers.get('accept-encoding'), ['gzip', 'identity']) !== 'gzip') {
    return new Response(html, { headers: fields })
  }
  fields.set('content-encoding', 'gzip')
  return new Response(await compress.gzip(new TextEncoder().encode(html)), { headers: fields })
}
