import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { callbackPath } from '#atproto/oauth/oauth-client.ts'
import { listenForCallback } from './callback-server.ts'

/** The status line that a request target gets. */
async function statusOf(origin: string, target: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text.split('\r\n')[0] ?? ''
}

test('what is not the answer of the sign-in does not end it', async () => {
  await using server = await listenForCallback(0)
  const foreign = new Error('not of this sign-in')
  const received = server.receive(
    {
      complete: async (query) => {
        if (query.get('state') !== 'ours') throw foreign
        return 'alice'
      },
      isForeign: (error) => error === foreign,
    },
    AbortSignal.timeout(5_000),
  )
  const { origin } = server
  expect(await statusOf(origin, '//')).toContain('404')
  expect(await statusOf(origin, '/')).toContain('404')
  expect(await statusOf(origin, `${callbackPath}?state=x`)).toContain('400')
  expect(await statusOf(origin, `${callbackPath}?state=ours`)).toContain('200')
  expect(await received).toBe('alice')
})

test('the browser gets a page of ours, with its own style and nothing else', async () => {
  await using server = await listenForCallback(0)
  const { signal } = new AbortController()
  void server.receive({ complete: () => Promise.reject('no'), isForeign: () => true }, signal)
  const pages = [await fetch(`${server.origin}${callbackPath}?state=x`)]
  const done = server.receive({ complete: async () => 'alice', isForeign: () => false }, signal)
  pages.push(await fetch(`${server.origin}${callbackPath}?state=x`))
  await done
  for (const page of pages) {
    const html = await page.text()
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? []
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'`,
    )
    expect(html).toContain('color-scheme:light dark')
    expect(html).not.toMatch(/<script|src=|href=|url\(|@import/)
    expect(html.match(/<h1>[^<]+<\/h1>/g)).toHaveLength(1)
    expect(Buffer.byteLength(html)).toBeLessThan(3000)
  }
  expect(pages.map(({ status }) => status)).toEqual([400, 200])
})
