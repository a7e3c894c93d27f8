import { canonicalHost } from '#edge/names/route.ts'
import { plainPage } from '#edge/pages.ts'
import { requestTarget } from '#edge/request-target.ts'

/** Answers at port 80: sends every visitor to the same address over https. */
export function answerPlainHttp(request: Request): Response {
  const host = canonicalHost(request.headers.get('host'))
  if (host === null) return plainPage(400, 'Bad request')
  const { pathname, search } = requestTarget(request.url)
  const location = `https://${host}${pathname}${search}`
  return new Response(null, { status: 308, headers: { location, 'cache-control': 'no-store' } })
}
