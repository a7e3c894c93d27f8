import { request as send } from 'node:http'
import type { LookupFunction } from 'node:net'

/**
 * `fetch` for a question without a body at a name below `localhost`, where a Sitehost of this machine has its sites: such
 * names are loopback (RFC 6761 §6.3), but Node 20 asks the DNS. The answer has no body either.
 */
export function fetchHeadOfLoopback(request: Request, signal: AbortSignal): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const { method, headers, url } = request
  const options = { method, headers: Object.fromEntries(headers), lookup: toLoopback, signal }
  send(url, options, (answer) => {
    answer.resume()
    const fields = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    resolve(
      new Response(null, { status: answer.statusCode ?? 500, headers: Object.fromEntries(fields) }),
    )
  })
    .on('error', reject)
    .end()
  return promise
}

export const isHeadOfLoopback = ({ method, url }: Request): boolean =>
  method === 'HEAD' && /^http:\/\/[^/]+\.localhost(:\d+)?\//.test(url)

const toLoopback: LookupFunction = (_, options, done) => {
  const [address, family] = ['127.0.0.1', 4]
  if (options.all) done(null, [{ address, family }])
  else done(null, address, family)
}
