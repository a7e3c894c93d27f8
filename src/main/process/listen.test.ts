import { expect, test } from 'bun:test'
import { ConfigError } from '#main/config/config.ts'
import { listen } from './listen.ts'

const fetch = () => new Response('it')
const start = (host: string, port: number, setting: '--port' | 'ASK_LISTEN' = '--port') =>
  listen({ host, port, setting, fetch })

const refused: [host: string, setting: '--port' | 'ASK_LISTEN', sentence: RegExp][] = [
  ['nonsense', '--port', /^HOST: nonsense is not an address of this machine \(E[A-Z]+\)$/],
  ['192.0.2.1', '--port', /^HOST: 192\.0\.2\.1 is not an address of this machine \(E[A-Z]+\)$/],
  ['192.0.2.1', 'ASK_LISTEN', /^ASK_LISTEN: 192\.0\.2\.1 is not an address of this machine/],
]
for (const [host, setting, sentence] of refused) {
  test(`${host} of ${setting}`, () => {
    expect(() => start(host, 0, setting)).toThrow(ConfigError)
    expect(() => start(host, 0, setting)).toThrow(sentence)
  })
}

test('a port that is taken', async () => {
  const first = start('127.0.0.1', 0)
  const port = first.port ?? 0
  expect(() => start('127.0.0.1', port)).toThrow(/^port \d+ is in use: .* with --port$/)
  expect(() => start('127.0.0.1', port, 'ASK_LISTEN')).toThrow(/ with ASK_LISTEN$/)
  await first.stop(true)
})
