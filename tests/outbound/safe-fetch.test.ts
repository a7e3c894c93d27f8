import { afterAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { createResolveHost } from '#outbound/resolve-host.ts'
import { createSafeFetch, FetchLimitError } from '#outbound/safe-fetch.ts'
import { startDnsServer } from '#tests/support/servers/dns-server.ts'
import { certificate, certificateKey } from '#tests/support/servers/self-signed.ts'

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/redirect') return Response.redirect('/hello')
    if (pathname === '/away') return Response.redirect('http://169.254.169.254/')
    if (pathname === '/endless') return new Response(endless())
    if (pathname === '/echo') return new Response(await request.text())
    if (pathname === '/stalls') return new Response(stalls())
    if (pathname === '/error') return new Response('no such thing', { status: 404 })
    if (pathname === '/silent') return await new Promise<never>(() => undefined)
    if (pathname === '/bomb') return new Response(bomb, { headers: { 'content-encoding': 'gzip' } })
    if (pathname === '/drips') return new Response(drips(0))
    if (pathname === '/drips-after-10-mb') return new Response(drips(10_000_000))
    if (pathname === '/2-mb') return new Response(new Uint8Array(2_000_000))
    if (pathname === '/headers') return Response.json(Object.fromEntries(request.headers))
    if (pathname === '/loop') return Response.redirect('/loop')
    return new Response('hello')
  },
})
/** Bun's own server refuses to send so much. */
const longHeaders = Bun.listen({
  port: 0,
  hostname: '127.0.0.1',
  socket: {
    data(socket) {
      const header = `x-filler: ${'y'.repeat(1000)}\r\n`
      socket.end(`HTTP/1.1 200 OK\r\n${header.repeat(1000)}content-length: 2\r\n\r\nhi`)
    },
  },
})
afterAll(async () => {
  longHeaders.stop(true)
  await server.stop(true)
})

/** 100 MB of nothing. */
const bomb = gzipSync(new Uint8Array(100_000_000))

const at = (path: string) => `http://127.0.0.1:${server.port}${path}`

describe('a look-up', () => {
  const silent = { resolve: () => new Promise<never>(() => undefined) }

  test('ends when the caller gives up', async () => {
    const stop = new AbortController()
    const fetching = createSafeFetch(silent)('https://silent.example/', { signal: stop.signal })
    stop.abort(new Error('stopped'))
    await expect(fetching).rejects.toThrow('stopped')
  })

  test('ends at its deadline, and gives back its slot', async () => {
    const limits = { lookupMs: 10 }
    const safeFetch = createSafeFetch({
      ...silent,
      limits,
      perHost: { max: 1, waitingMax: 0 },
    })
    for (let i = 0; i < 2; i++) {
      await expect(safeFetch('https://silent.example/')).rejects.toMatchObject({ limit: 'lookup' })
    }
  })

  test('is stopped in the name server’s client too', async () => {
    await using dns = await startDnsServer({ 'silent.example': 'silent' })
    let signalled: AbortSignal | undefined
    const resolve = createResolveHost({ servers: [dns.address] })
    const safeFetch = createSafeFetch({
      resolve(hostname, signal) {
        signalled = signal
        return resolve(hostname, signal)
      },
      limits: { lookupMs: 20 },
    })
    await expect(safeFetch('https://silent.example/')).rejects.toMatchObject({ limit: 'lookup' })
    expect(signalled?.aborted).toBe(true)
  })
})

test('as many requests are open as it may have, whatever their hosts', async () => {
  const safeFetch = createSafeFetch({ allowPrivate: true, requestsMax: 1 })
  const other = new URL('/hello', server.url)
  other.hostname = 'localhost'
  const first = await safeFetch(at('/endless'))
  let isAnswered = false
  const second = safeFetch(other).then((response) => {
    isAnswered = true
    return response.text()
  })
  const gaveUp = new AbortController()
  const third = safeFetch(at('/hello'), { signal: gaveUp.signal })
  gaveUp.abort()
  await expect(third).rejects.toBe(gaveUp.signal.reason)
  expect(isAnswered).toBe(false)
  await first.body?.cancel()
  expect(await second).toBe('hello')
})

test('the directory has a limit of its own', async () => {
  const perHost = { max: 1, waitingMax: 0 }
  const directoryHost = new URL(at('/')).host
  const safeFetch = createSafeFetch({ allowPrivate: true, perHost, directoryHost, directoryMax: 2 })
  const other = new URL('/endless', server.url)
  other.hostname = 'localhost'
  const open = [safeFetch(at('/endless')), safeFetch(at('/endless')), safeFetch(other)]
  const answers = await Promise.all(open)
  await expect(safeFetch(other)).rejects.toBeInstanceOf(SemaphoreBusyError)
  const third = safeFetch(at('/hello'))
  for (const { body } of answers) await body?.cancel()
  expect(await (await third).text()).toBe('hello')
})

describe('with private addresses allowed', () => {
  const safeFetch = createSafeFetch({ allowPrivate: true, perHost: { max: 1, waitingMax: 1 } })

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

  test('stops headers that do not come', async () => {
    const fetching = safeFetch(at('/silent'), { limits: { headersMs: 20 } })
    await expect(fetching).rejects.toMatchObject({ limit: 'headers' })
  })

  test('refuses headers of 1 MB', async () => {
    const fetching = safeFetch(at('/long-headers').replace(`${server.port}`, `${longHeaders.port}`))
    await expect(fetching).rejects.toThrow()
  })

  test('stops a small body that unpacks to a large one', async () => {
    const response = await safeFetch(at('/bomb'), { limits: { responseBytesMax: 100_000 } })
    await expect(response.arrayBuffer()).rejects.toMatchObject({ limit: 'bytes' })
  })
})

describe('a body must come at a pace', () => {
  const limits = { bytesPerSecondMin: 1_000_000, rateWindowMs: 60, responseBytesMax: 1_000_000_000 }
  const safeFetch = createSafeFetch({ allowPrivate: true, limits })

  test('one that drips is stopped, though it never stalls', async () => {
    const response = await safeFetch(at('/drips'))
    await expect(response.text()).rejects.toMatchObject({ limit: 'rate' })
  })
  test('however fast the bytes before came', async () => {
    const response = await safeFetch(at('/drips-after-10-mb'))
    await expect(response.arrayBuffer()).rejects.toMatchObject({ limit: 'rate' })
  })
  /** Until another that began later has used up all the time it had. */
  async function untilTooSlow(rateWindowMs: number): Promise<void> {
    const response = await safeFetch(at('/drips'), { limits: { rateWindowMs } })
    await expect(response.text()).rejects.toMatchObject({ limit: 'rate' })
  }

  test('time that its reader takes does not count', async () => {
    const rateWindowMs = 500
    const response = await safeFetch(at('/2-mb'), { limits: { rateWindowMs } })
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      if (bytes === 0) await untilTooSlow(rateWindowMs)
      bytes += chunk.byteLength
    }
    expect(bytes).toBe(2_000_000)
  })
})

describe('a slot of its host', () => {
  const oneAtATime = () =>
    createSafeFetch({ allowPrivate: true, perHost: { max: 1, waitingMax: 1 } })

  test('is returned after a small answer that is not read', async () => {
    const safeFetch = oneAtATime()
    for (let i = 0; i < 3; i++) expect((await safeFetch(at('/error'))).status).toBe(404)
  })

  test('is returned after an answer that stalls and is not read', async () => {
    const safeFetch = oneAtATime()
    for (let i = 0; i < 2; i++) await safeFetch(at('/stalls'), { limits: { idleMs: 20 } })
    expect(await (await safeFetch(at('/hello'))).text()).toBe('hello')
  })

  test('is given back at the deadline of the whole transfer', async () => {
    const safeFetch = oneAtATime()
    const limits = { headersMs: 500, responseBytesMax: 1000, idleMs: 60_000 }
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

test('headers for one host are not sent to another', async () => {
  const safeFetch = createSafeFetch({ allowPrivate: true })
  const headers = { authorization: 'secret' }
  const told = async (to: string) => {
    const from = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) =>
        new URL(request.url).pathname === '/headers'
          ? Response.json(Object.fromEntries(request.headers))
          : new Response('', { status: 302, headers: { location: to } }),
    })
    const response = await safeFetch(from.url, { redirect: 'follow', headers })
    const { authorization } = (await response.json()) as Record<string, string>
    await from.stop(true)
    return authorization
  }
  expect(await told('/headers')).toBe('secret')
  expect(await told(at('/headers'))).toBeUndefined()
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
    async fetch(request) {
      if (request.method === 'POST') return await countReceived(request)
      return new Response(`host=${request.headers.get('host')}`)
    },
  })
  afterAll(() => secure.stop(true))

  let readAhead = 0
  /** Reads after the sender has had time to read everything. */
  async function countReceived(request: Request): Promise<Response> {
    while (file.bytesRead === 0) await new Promise(setImmediate)
    for (let round = 0; round < 200; round++) await new Promise(setImmediate)
    readAhead = file.bytesRead
    const { length } = await request.bytes()
    const stated = Number(request.headers.get('content-length'))
    return Response.json({ length, stated, type: request.headers.get('content-type') })
  }
  const file = new (class extends Blob {
    bytesRead = 0
    override slice(start: number, end: number): Blob {
      this.bytesRead += end - start
      return super.slice(start, end)
    }
  })([new Uint8Array(32_000_000)])

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

  test('a large blob is read as it is sent, not before', async () => {
    const headers = { 'content-type': 'image/png', 'content-length': String(file.size) }
    const init = { method: 'POST', headers, body: file }
    const response = await safeFetch('https://pds.example/upload', init)
    const length = file.size
    expect(await response.json()).toEqual({ length, stated: length, type: 'image/png' })
    expect(readAhead).toBeGreaterThan(0)
    expect(readAhead).toBeLessThan(length / 2)
  })

  test('the certificate is checked against the name, which is also the Host', async () => {
    const response = await safeFetch('https://pds.example/x')
    expect(await response.text()).toBe('host=pds.example')
    expect(connectedTo).toBe('https://93.184.216.34/x')
  })
  test('the certificate of another name is rejected, also on a reused connection', async () => {
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

/** This many bytes first, then one per round of the event loop, for as long as it is read. */
function drips(bytesFirst: number): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(bytesFirst)),
    async pull(controller) {
      await new Promise(setImmediate)
      controller.enqueue(new Uint8Array(1))
    },
  })
}

function stalls(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
}
