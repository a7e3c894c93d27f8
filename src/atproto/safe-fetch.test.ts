import { afterAll, describe, expect, test } from 'bun:test'
import { certificate, certificateKey } from '#tests/support/self-signed.ts'
import { ForbiddenHostError } from './public-address.ts'
import { createSafeFetch, FetchLimitError } from './safe-fetch.ts'

let connections = 0
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    connections += 1
    const { pathname } = new URL(request.url)
    if (pathname === '/redirect') return Response.redirect('/hello')
    if (pathname === '/away') return Response.redirect('http://169.254.169.254/')
    if (pathname === '/endless') return new Response(endless())
    if (pathname === '/echo') return new Response(await request.text())
    if (pathname === '/stalls') return new Response(stalls())
    if (pathname === '/error') return new Response('no such thing', { status: 404 })
    if (pathname === '/loop') return Response.redirect('/loop')
    return new Response('hello')
  },
})
afterAll(() => server.stop(true))

const at = (path: string) => `http://127.0.0.1:${server.port}${path}`

describe('refuses, without a connection, what is not a public https origin', () => {
  const safeFetch = createSafeFetch({ resolve: async () => ['127.0.0.1'] })
  const port = server.port
  for (const url of [
    `http://127.0.0.1:${port}/`,
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://127.1/',
    'https://[::1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://169.254.169.254/',
    'https://100.64.0.1/',
    'https://0/',
    'https://localhost./',
    'https://a.localhost/',
    'https://rebound.example/',
    'https://user:secret@rebound.example/',
    'https://rebound.example:8443/',
  ]) {
    test(url, async () => {
      const before = connections
      await expect(safeFetch(url)).rejects.toBeInstanceOf(ForbiddenHostError)
      expect(connections).toBe(before)
    })
  }

  test('a name whose look-up does not end before the caller gives up', async () => {
    const silent = createSafeFetch({ resolve: () => new Promise(() => undefined) })
    const stop = new AbortController()
    const fetching = silent('https://silent.example/', { signal: stop.signal })
    await Bun.sleep(0)
    stop.abort(new Error('stopped'))
    await expect(fetching).rejects.toThrow('stopped')
  })

  test('a name with a public and a private address', async () => {
    const mixed = createSafeFetch({ resolve: async () => ['93.184.216.34', '10.0.0.1'] })
    await expect(mixed('https://mixed.example/')).rejects.toBeInstanceOf(ForbiddenHostError)
  })
})

describe('with private addresses allowed', () => {
  const safeFetch = createSafeFetch({ allowPrivate: true, slots: { slotsMax: 1, waitingMax: 1 } })

  test('gives the response and frees the slot when its body ends', async () => {
    for (let i = 0; i < 3; i++) expect(await (await safeFetch(at('/hello'))).text()).toBe('hello')
  })

  test('sends the body', async () => {
    const response = await safeFetch(at('/echo'), { method: 'POST', body: new Blob(['a', 'b']) })
    expect(await response.text()).toBe('ab')
  })

  test('leaves redirects to the caller unless asked to follow', async () => {
    const manual = await safeFetch(at('/redirect'))
    expect(manual.status).toBe(302)
    await manual.body?.cancel()
    expect(await (await safeFetch(at('/redirect'), { redirect: 'follow' })).text()).toBe('hello')
  })

  test('stops a body that grows over its cap', async () => {
    const response = await safeFetch(at('/endless'), { limits: { responseBytesMax: 100_000 } })
    await expect(response.arrayBuffer()).rejects.toBeInstanceOf(FetchLimitError)
  })

  test('stops a body that stalls', async () => {
    const response = await safeFetch(at('/stalls'), { limits: { idleMs: 20 } })
    await expect(response.text()).rejects.toBeInstanceOf(FetchLimitError)
  })
})

describe('a slot of its host', () => {
  const oneAtATime = () =>
    createSafeFetch({ allowPrivate: true, slots: { slotsMax: 1, waitingMax: 1 } })

  test('is given back by a small answer that nobody reads', async () => {
    const safeFetch = oneAtATime()
    for (let i = 0; i < 3; i++) expect((await safeFetch(at('/error'))).status).toBe(404)
  })

  test('is given back by an answer that stalls, though nobody reads it', async () => {
    const safeFetch = oneAtATime()
    for (let i = 0; i < 2; i++) await safeFetch(at('/stalls'), { limits: { idleMs: 20 } })
    expect(await (await safeFetch(at('/hello'))).text()).toBe('hello')
  })

  test('is given back at the deadline of the whole transfer', async () => {
    const safeFetch = oneAtATime()
    const limits = { headersMs: 50, responseBytesMax: 1000, idleMs: 60_000 }
    const forgotten = await safeFetch(at('/stalls'), { limits })
    expect(await (await safeFetch(at('/hello'))).text()).toBe('hello')
    await expect(forgotten.text()).rejects.toBeInstanceOf(FetchLimitError)
  })

  test('is given back by failures and by cancelling', async () => {
    const safeFetch = oneAtATime()
    await expect(safeFetch('http://127.0.0.1:1/')).rejects.toThrow()
    await expect(safeFetch('http://127.0.0.1:1/')).rejects.toThrow()
    for (let i = 0; i < 2; i++) await (await safeFetch(at('/endless'))).body?.cancel()
    expect(await (await safeFetch(at('/hello'))).text()).toBe('hello')
  })
})

test('gives up on redirects that do not end', async () => {
  const safeFetch = createSafeFetch({ allowPrivate: true })
  expect((await safeFetch(at('/loop'), { redirect: 'follow' })).status).toBe(302)
})

test('ends with its caller’s signal', async () => {
  const stop = new AbortController()
  const safeFetch = createSafeFetch({ allowPrivate: true })
  const response = await safeFetch(at('/stalls'), { signal: stop.signal })
  const reading = response.text()
  stop.abort()
  await expect(reading).rejects.toThrow()
})

describe('over TLS, to the address that was vetted', () => {
  const secure = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: certificate, key: certificateKey },
    fetch: (request) => new Response(`host=${request.headers.get('host')}`),
  })
  afterAll(() => secure.stop(true))

  let connectedTo = ''
  /** Resolves every name to a public address, and leads connections to it to the server above. */
  const safeFetch = createSafeFetch({
    resolve: async () => ['93.184.216.34'],
    connect: async (request, init) => {
      connectedTo = request.url
      const url = new URL(request.url)
      url.host = `127.0.0.1:${secure.port}`
      const tls = { ...(init.tls as object), ca: certificate }
      return await fetch(new Request(url, request), { ...init, tls })
    },
  })

  test('the certificate is checked against the name, which is also the Host', async () => {
    const response = await safeFetch('https://pds.example/x')
    expect(await response.text()).toBe('host=pds.example')
    expect(connectedTo).toBe('https://93.184.216.34/x')
  })
  test('the certificate of another name is refused, on a connection that was used before too', async () => {
    await (await safeFetch('https://pds.example/')).text()
    await expect(safeFetch('https://other.example/')).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })
})

function endless(): ReadableStream {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
  })
}

function stalls(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
}
