// `bare.ts <url> <host> [<chain> <key>]`: the least that Bun can do for the same answers. Reads the header fields that an answer depends on
// and sends what this address answered once: 200, or 304 where the request has a condition. With files of a certificate by https,
// HTTP/2 too. Prints its port.
import process from 'node:process'

/** What `edge/files/respond-file` and `edge/names/front` look up for each request. */
const readFields = ['host', 'x-forwarded-host', 'accept-encoding', 'range', 'if-match']
const conditionFields = ['if-unmodified-since', 'if-modified-since']

async function serveBare(
  url: string,
  host: string,
  [chainFile, keyFile]: readonly string[],
): Promise<number | undefined> {
  const asked = { host, 'accept-encoding': 'gzip' }
  const whole = await fetch(url, { headers: asked, decompress: false })
  const body = await whole.blob()
  const etag = whole.headers.get('etag') ?? ''
  const notModified = await fetch(url, { headers: { ...asked, 'if-none-match': etag } })
  const wholeHead = { status: 200, headers: ownFields(whole) }
  const notModifiedHead = { status: 304, headers: ownFields(notModified) }
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    development: false,
    ...(chainFile !== undefined &&
      keyFile !== undefined && {
        http2: true,
        tls: { cert: Bun.file(chainFile), key: Bun.file(keyFile) },
      }),
    fetch: ({ headers }) => {
      for (const name of readFields) headers.get(name)
      const condition = headers.get('if-none-match')
      for (const name of conditionFields) headers.get(name)
      return condition === null
        ? new Response(body, wholeHead)
        : new Response(null, notModifiedHead)
    },
  }).port
}

/** Without those that Bun adds. */
function ownFields({ headers }: Response): Headers {
  const own = new Headers(headers)
  for (const name of ['date', 'connection']) own.delete(name)
  return own
}

const [url = '', host = '', ...certificate] = process.argv.slice(2)
process.stdout.write(`${await serveBare(url, host, certificate)}\n`)
