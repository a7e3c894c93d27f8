import { canonicalHost } from '#edge/names/route.ts'
import { plainPage } from '#edge/pages.ts'
import { requestTarget } from '#edge/request-target.ts'

const challengePath = '/.well-known/acme-challenge/'
/** RFC 8555 §8.1: base64url. */
const tokenForm = /^[A-Za-z0-9_-]{8,256}$/

/** The answer to a challenge of a certificate authority; null: none is expected. */
type ChallengeAnswer = (token: string) => Promise<string | null>

/** Answers at port 80: the challenges of certificate authorities; sends every visitor to the same address over https. */
export function answerPlainHttp(challengeAnswer: ChallengeAnswer | null) {
  return (request: Request): Response | Promise<Response> => {
    const host = canonicalHost(request.headers.get('host'))
    if (host === null) return plainPage(400, 'Bad request')
    const { pathname, search } = requestTarget(request.url)
    const token = pathname.startsWith(challengePath) ? pathname.slice(challengePath.length) : null
    if (token !== null && challengeAnswer !== null) return answerChallenge(token, challengeAnswer)
    const location = `https://${host}${pathname}${search}`
    return new Response(null, { status: 308, headers: { location, 'cache-control': 'no-store' } })
  }
}

async function answerChallenge(token: string, answerOf: ChallengeAnswer): Promise<Response> {
  const answer = tokenForm.test(token) ? await answerOf(token) : null
  const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' }
  return answer === null ? plainPage(404, 'Not found') : new Response(answer, { headers })
}
