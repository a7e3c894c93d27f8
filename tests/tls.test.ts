import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningService, startServing } from '#main/commands/serve.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { publicNames } from '#tests/support/servers/self-signed.ts'

const application = 'sitehost.home.arpa'
/** A name below the base domain that nobody has claimed. */
const unclaimed = 'pds.home.arpa'
const stop = new AbortController()
let dir: string
let port: number
let httpPort: number
let metricsPort: number
let service: RunningService

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-tls-service-'))
  port = Number(await ownPort())
  httpPort = Number(await ownPort())
  metricsPort = Number(await ownPort())
  const [chainFile, keyFile] = [join(dir, 'chain.pem'), join(dir, 'key.pem')]
  await Bun.write(chainFile, publicNames.certificate)
  await Bun.write(keyFile, publicNames.key)
  service = await startServing(
    { port: await ownPort(), data: join(dir, 'data') },
    {
      LOG_LEVEL: 'error',
      BASE_URL: `https://${application}`,
      BASE_DOMAIN: 'home.arpa',
      TLS: 'files',
      TLS_LISTEN: `127.0.0.1:${port}`,
      HTTP_LISTEN: `127.0.0.1:${httpPort}`,
      TLS_FILES: `${chainFile}:${keyFile}`,
      METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      HSTS_SECONDS: '60',
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

interface Visited {
  readonly status: number | undefined
  readonly location: string | undefined
  readonly hsts: string | undefined
}

function visit(host: string, path = '/'): Promise<Visited> {
  const { promise, resolve, reject } = Promise.withResolvers<Visited>()
  const ca = publicNames.certificate
  const to = {
    host: '127.0.0.1',
    port,
    servername: host,
    path,
    ca,
    headers: { host },
    agent: false,
  }
  const asked = httpsRequest(to, (answer) => {
    const { location, 'strict-transport-security': hsts } = answer.headers
    answer.resume()
    answer.on('end', () => resolve({ status: answer.statusCode, location, hsts }))
  })
  asked.on('error', reject)
  asked.end()
  return promise
}

test('the application and the sites are visited by https, without a front', async () => {
  expect(await visit(application, '/healthz')).toMatchObject({ status: 200 })
  expect(await visit(unclaimed)).toMatchObject({ status: 404, hsts: 'max-age=60' })
  await expect(visit('other.example')).rejects.toThrow()
})

test('http leads to https', async () => {
  const answer = await fetch(`http://127.0.0.1:${httpPort}/a`, {
    headers: { host: application },
    redirect: 'manual',
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `https://${application}/a`])
})

test('handshakes are counted', async () => {
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(metrics).toMatch(/^sitehost_tls_handshakes_total\{outcome="done"\} [1-9]/m)
  expect(metrics).toMatch(/^sitehost_tls_handshakes_total\{outcome="unknown-name"\} [1-9]/m)
})
