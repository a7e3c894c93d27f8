import type { CommandContext } from '#cli/command-context.ts'
import { byteText } from '#site/byte-text.ts'
import { clockFinding } from './clock-finding.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const method = 'com.atproto.server.describeServer'
const answerBytesMax = 64 * 1024
/** Whether an account's server answers, what it takes, and whether its clock and ours agree. */
export async function checkServer(server: string, context: CommandContext): Promise<Finding[]> {
  const { fetch, limits, now, signal } = context
  const began = now()
  try {
    const init = { signal, limits: { responseBytesMax: answerBytesMax } }
    const answer = await fetch(new URL(`/xrpc/${method}`, server), init)
    const ended = now()
    const described: unknown = await answer.json()
    if (!answer.ok) return [unusable(server, `answers ${answer.status}`)]
    return [
      ok('server', `${server} answers within ${Math.ceil(ended - began)} ms`),
      limitFinding(described, limits.fileBytesMax),
      rateFinding(answer.headers),
      checkClock(server, answer.headers, began, ended),
    ]
  } catch (error) {
    signal.throwIfAborted()
    return [unusable(server, error instanceof SyntaxError ? 'sends no JSON' : 'does not answer')]
  }
}

const unusable = (server: string, seen: string): Finding =>
  problem('server', `${server} ${seen}`, 'try again later, or tell whoever runs it')

function limitFinding(described: unknown, fileBytesMax: number): Finding {
  const limit = (described as { blobUploadLimit?: unknown } | null)?.blobUploadLimit
  if (typeof limit !== 'number') return ok('file size', 'the server states no limit')
  if (limit >= fileBytesMax) return ok('file size', `files of up to ${byteText(limit)}`)
  return warning(
    'file size',
    `the server takes files of up to ${byteText(limit)}, less than the ${byteText(fileBytesMax)} of MAX_FILE_BYTES`,
    'leave larger files out; a deploy with one fails before anything is sent',
  )
}

/** `ratelimit-*`, as the reference server sends them. */
function rateFinding(headers: Headers): Finding {
  const [limit, left, reset] = ['limit', 'remaining', 'reset'].map((name) =>
    headers.has(`ratelimit-${name}`) ? Number(headers.get(`ratelimit-${name}`)) : Number.NaN,
  )
  if (limit === undefined || left === undefined || Number.isNaN(limit) || Number.isNaN(left)) {
    return ok('rate limit', 'the server states none')
  }
  const seen = `${left} of ${limit} requests are left`
  if (left > 0) return ok('rate limit', seen)
  const until = reset ? new Date(reset * 1000).toUTCString() : 'later'
  return warning('rate limit', seen, `wait until ${until}`)
}

function checkClock(server: string, headers: Headers, began: number, ended: number): Finding {
  const theirs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return ok('clock', 'the server does not say the time')
  return clockFinding(new URL(server).host, theirs, { began, ended })
}
