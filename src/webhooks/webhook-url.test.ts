import { expect, test } from 'bun:test'
import { parseWebhookUrl, webhookUrlCharsMax } from './webhook-url.ts'

const parse = (text: string, allowPrivate = false) => parseWebhookUrl(text, { allowPrivate })
const long = `https://hooks.example/${'a'.repeat(webhookUrlCharsMax - 22)}`

const good: [text: string, url: string, host: string][] = [
  ['https://hooks.example', 'https://hooks.example/', 'hooks.example'],
  ['https://HOOKS.example:443/a?b=c#d', 'https://hooks.example/a?b=c', 'hooks.example'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
  ['https://hooks.example./a', 'https://hooks.example/a', 'hooks.example'],
  ['https://93.184.216.34/', 'https://93.184.216.34/', '93.184.216.34'],
  [long, long, 'hooks.example'],
]
test.each(good)('%s', (text, url, host) => {
  expect(parse(text)).toEqual({ url, host })
})

const bad: [text: string, problem: string][] = [
  ['', 'no-url'],
  ['hooks.example', 'no-url'],
  ['file:///etc/passwd', 'no-url'],
  [`${long}a`, 'no-url'],
  ['http://hooks.example/', 'no-https'],
  ['https://me:secret@hooks.example/', 'credentials'],
  ['https://hooks.example:8443/', 'port'],
  ['https://127.0.0.1/', 'private'],
  ['https://2130706433/', 'private'],
  ['https://0x7f.1/', 'private'],
  ['https://[::1]/', 'private'],
  ['https://[::ffff:7f00:1]/', 'private'],
  ['https://169.254.169.254/', 'private'],
  ['https://localhost/', 'private'],
  ['https://a.localhost./', 'private'],
  ['https://intranet/', 'private'],
  ['https://intranet./', 'private'],
  ['https://hooks.example../', 'no-url'],
]
test.each(bad)('%s: %s', (text, problem) => {
  expect(parse(text)).toEqual({ problem } as never)
})

test('where private hosts are allowed, so are ports and http', () => {
  const local = { url: 'http://127.0.0.1:3000/', host: '127.0.0.1:3000' }
  expect(parse('http://127.0.0.1:3000', true)).toEqual(local)
})
