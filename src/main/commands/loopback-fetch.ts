import { request as send } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'

/**
 * `fetch` for reading at a name below `localhost`, where a Sitehost of this machine has its sites: such names are loopback
 * (RFC 6761 §6.3), but Node 20 asks the DNS. No coding is asked for, so that none has to be undone.
 */
export function fetchOfLoopback(request: Request, signal: AbortSignal): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const { method, headers, url } = request
  const options = { method, headers: Object.fromEntries(headers), lookup: toLoopback, signal }
  send(url, options, (answer) => {
    const status = answer.statusCode ?? 500
    const fields = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    const hasBody = method === 'GET' && !withoutBody.has(status)
    if (!hasBody) answer.resume()
    const body = hasBody ? (Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array>) : null
    resolve(new Response(body, { status, headers: Object.fromEntries(fields) }))
  })
    .on('error', reject)
    .end()
  return promise
}

const withoutBody = new Set([204, 205, 304])

export const isReadOfLoopback = ({ method, url }: Request): boolean =>
  (method === 'HEAD' || method === 'GET') && /^http:\/\/[^/]+\.localhost(:\d+)?\//.test(url)

const toLoopback: LookupFunction = (_, options, done) => {
  const [address, family] = ['127.0.0.1', 4]
  if (options.all) done(null, [{ address, family }])
  else done(null, address, family)
}
