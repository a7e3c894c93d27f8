import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash, createPublicKey } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { diskBlobStore } from '#blobs/disk.ts'
import { type RunningService, startServing } from '#main/commands/serve.ts'
import { checkHttp3 } from '#main/doctor/check-http3.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { hasPrograms } from '#tests/support/require.ts'
import { publicNames, siteNames } from '#tests/support/servers/self-signed.ts'
import { goLive, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'

const application = 'sitehost.home.arpa'
const baseDomain = 'sites.home.arpa'
const image = crypto.getRandomValues(new Uint8Array(300_000))
const page =
  '<!doctype html><meta charset="utf-8"><title>Hello</title><img src="/image.png"><p>Hello'

const stop = new AbortController()
let dir: string
let port: number
let metricsPort: number
let site: string
let service: RunningService

async function fillData(data: string): Promise<string> {
  await mkdir(data, { recursive: true })
  await using database = openDatabase({ file: join(data, 'sitehost.db') })
  await migrate(database)
  const blobs = diskBlobStore({ dir: join(data, 'blobs') })
  const files = {
    'index.html': storedFile({ body: page }),
    'image.png': storedFile({ body: image, contentType: 'image/png' }),
  }
  for (const { stored } of Object.values(files)) await blobs.put(stored)
  const snapshot = snapshotOf(
    Object.fromEntries(Object.entries(files).map(([path, { file }]) => [path, file])),
  )
  return await goLive(database.db, snapshot)
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-protocols-'))
  const fileOf = (name: string): string => join(dir, name)
  port = Number(await ownPort())
  metricsPort = Number(await ownPort())
  await Bun.write(fileOf('app.pem'), publicNames.certificate)
  await Bun.write(fileOf('app.key'), publicNames.key)
  await Bun.write(fileOf('sites.pem'), siteNames.certificate)
  await Bun.write(fileOf('sites.key'), siteNames.key)
  await Bun.write(fileOf('roots.pem'), publicNames.certificate + siteNames.certificate)
  site = `${await fillData(fileOf('data'))}.${baseDomain}`
  service = await startServing(
    { port: await ownPort(), data: fileOf('data') },
    {
      LOG_LEVEL: 'error',
      BASE_URL: `https://${application}`,
      BASE_DOMAIN: baseDomain,
      TLS: 'files',
      TLS_LISTEN: `127.0.0.1:${port}`,
      HTTP_LISTEN: 'off',
      HTTP3: 'on',
      TLS_FILES: ['app', 'sites']
        .map((name) => `${fileOf(`${name}.pem`)}:${fileOf(`${name}.key`)}`)
        .join(','),
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      // Nothing of this is about the network.
      FIREHOSE_URL: 'ws://127.0.0.1:9/subscribe',
      PLC_URL: 'http://127.0.0.1:9',
    },
    stop.signal,
  )
}, 60_000)
afterAll(async () => {
  stop.abort()
  await service.stopped
  await rm(dir, { recursive: true, force: true })
})

const hasCurl = await hasPrograms('protocols as curl speaks them', 'curl')

test.skipIf(!hasCurl).each([
  ['--http1.1', '1.1'],
  ['--http2', '2'],
])('curl %s', async (option, version) => {
  const command = [
    ...['curl', '--silent', option, '--cacert', join(dir, 'roots.pem')],
    ...['--resolve', `${site}:${port}:127.0.0.1`, '--dump-header', '-', '--output', '/dev/null'],
    ...['--write-out', '%{http_version} %{http_code}', `https://${site}:${port}/`],
  ]
  const said = await new Response(Bun.spawn(command).stdout).text()
  expect(said).toEndWith(`${version} 200`)
  expect(said.toLowerCase()).toContain(`alt-svc: h3=":${port}"\r\n`)
})

/** What a browser is to trust: keys by their hash, which QUIC accepts too, as it does no private root. */
const trusted = [publicNames.certificate, siteNames.certificate].map((pem) => {
  const key = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('base64')
})
const common = [
  '--host-resolver-rules=MAP * 127.0.0.1',
  `--ignore-certificate-errors-spki-list=${trusted.join(',')}`,
]

interface Asked {
  readonly path: string
  readonly init?: { readonly method?: string; readonly headers?: Record<string, string> }
}

/** What a page can ask of its own host: the same over each protocol. */
const table: readonly Asked[] = [
  { path: '/' },
  { path: '/image.png' },
  { path: '/image.png', init: { method: 'HEAD' } },
  { path: '/image.png', init: { headers: { range: 'bytes=10-70000' } } },
  { path: '/image.png', init: { headers: { range: 'bytes=900000-' } } },
  { path: '/nothing/here' },
  { path: '/', init: { method: 'POST' } },
  { path: '/', init: { method: 'DELETE' } },
  { path: '/%2e%2e/etc/passwd?a=b' },
]

/** In the page: status, header fields and the hash of the body. */
const askInPage = (page: Page): Promise<unknown[]> =>
  page.evaluate(async (asked) => {
    const answers: unknown[] = []
    for (const { init = {}, path } of asked) {
      const answer = await fetch(path, { ...init, cache: 'no-store' })
      const hash = await crypto.subtle.digest('SHA-256', await answer.arrayBuffer())
      // Over HTTP/3 Bun leaves the length of what is sent in pieces out.
      const others = ['date', 'alt-svc', 'content-length']
      const fields = [...answer.headers].filter(([name]) => !others.includes(name))
      answers.push([path, answer.status, fields, Array.from(new Uint8Array(hash)).join()])
    }
    return answers
  }, table)

test('doctor sees that HTTP/3 answers, and that it does not', async () => {
  const seen = async (at: number) =>
    (await checkHttp3({ http3: true, listen: { host: '127.0.0.1', port: at } }, application)).map(
      ({ level }) => level,
    )
  expect(await seen(port)).toEqual(['ok'])
  expect(await seen(metricsPort)).toEqual(['warning'])
})

describe.skipIf(!hasBrowser)('Chromium', () => {
  const answers = new Map<string, unknown[]>()
  const protocols: [protocol: string, args: () => string[]][] = [
    ['h2', () => ['--disable-quic']],
    [
      'h3',
      () => ['--enable-quic', `--origin-to-force-quic-on=${site}:${port},${application}:${port}`],
    ],
  ]
  for (const [protocol, args] of protocols) {
    test(`loads a site and the application over ${protocol}, each with its certificate`, async () => {
      const browser: Browser = await startBrowser([...common, ...args()])
      try {
        const page = await browser.newPage()
        for (const [host, name] of [
          [site, 'sites.home.arpa'],
          [application, 'home.arpa'],
        ] as const) {
          const answer = await page.goto(`https://${host}:${port}/`)
          expect(answer?.status()).toBe(200)
          const [entry] = await page.evaluate(() =>
            performance.getEntriesByType('navigation').map((each) => each.toJSON()),
          )
          expect(entry.nextHopProtocol).toBe(protocol)
          const security = await answer?.securityDetails()
          expect(security?.subjectName).toBe(name)
          expect(security?.protocol).toBe(protocol === 'h3' ? 'QUIC' : 'TLS 1.3')
        }
        await page.goto(`https://${site}:${port}/`)
        expect(await page.evaluate(() => document.images[0]?.complete)).toBe(true)
        answers.set(protocol, await askInPage(page))
      } finally {
        await browser.close()
      }
    }, 60_000)
  }

  test('is answered the same over both', () => {
    expect(answers.get('h3')).toHaveLength(table.length)
    expect(answers.get('h3')).toEqual(answers.get('h2') ?? [])
  })

  test('and what came over HTTP/3 is counted', async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    expect(metrics).toMatch(/^sitehost_http3_requests_total\{outcome="answered"\} [1-9]/m)
  })
})
