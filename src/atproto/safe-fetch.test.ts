import { afterAll, describe, expect, test } from 'bun:test'
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

function endless(): ReadableStream {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
  })
}

function stalls(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
}
