import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { ConfigError } from '#main/config/config.ts'
import { exchange, flags, frame, getFields, types } from '#tests/support/visitors/http2-frames.ts'
import { listen, listenError, listenHttp2Inside } from './listen.ts'

const fetch = () => new Response('it')
const start = (host: string, port: number, setting: '--port' | 'ASK_LISTEN' = '--port') =>
  listen({ host, port, setting, fetch })

const refused: [host: string, setting: '--port' | 'ASK_LISTEN', sentence: RegExp][] = [
  [
    'nonsense',
    '--port',
    /^HOST: nonsense leads to no address of this machine, or port 0 is not free there$/,
  ],
  ['192.0.2.1', '--port', /^HOST: 192\.0\.2\.1 is not an address of this machine \(E[A-Z]+\)$/],
  ['192.0.2.1', 'ASK_LISTEN', /^ASK_LISTEN: 192\.0\.2\.1 is not an address of this machine/],
]
for (const [host, setting, sentence] of refused) {
  test(`${host} of ${setting}`, () => {
    expect(() => start(host, 0, setting)).toThrow(ConfigError)
    expect(() => start(host, 0, setting)).toThrow(sentence)
  })
}

// Bun (1.4.5) takes for the error what the resolver left behind: on this machine, or in this thread.
test.each(['EINVAL', 'ENOENT', 'EADDRINUSE', 'EACCES', undefined])('a name, with %s', (code) => {
  const at = { port: 443, setting: 'TLS_LISTEN' } as const
  const error = Object.assign(new Error('Failed to listen'), code === undefined ? {} : { code })
  expect(String(listenError(error, { ...at, host: 'nonsense' }))).toEndWith(
    'TLS_LISTEN: nonsense leads to no address of this machine, or port 443 is not free there',
  )
  if (code !== 'EADDRINUSE') return
  for (const host of ['127.0.0.1', 'localhost', '::1']) {
    expect(String(listenError(error, { ...at, host }))).toContain('port 443 is in use: stop')
  }
})

test('a port that is taken', async () => {
  const first = start('127.0.0.1', 0)
  const port = first.port ?? 0
  expect(() => start('127.0.0.1', port)).toThrow(/^port \d+ is in use: .* with --port$/)
  expect(() => start('127.0.0.1', port, 'ASK_LISTEN')).toThrow(/ with ASK_LISTEN$/)
  await first.stop(true)
})

test.each(['linux', 'darwin'] as const)(
  'of this process, on %s: HTTP/2 and nothing else',
  async (platform) => {
    const { address, server } = listenHttp2Inside(fetch, platform)
    const to = 'unix' in address ? { path: address.unix } : { ...address, host: address.hostname }
    const request = frame(types.headers, flags.endHeaders | flags.endStream, 1, getFields)
    const [first] = await exchange(to, request)
    // `:status: 200` of the static table.
    expect(first).toBe('1/4/1 88')
    const socket = connect(to)
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const text = (await Array.fromAsync(socket, String)).join('')
    expect(text).toStartWith('HTTP/1.1 505 ')
    await server.stop(true)
  },
)
