import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { signInWithoutNetwork, uploadSlowly } from '#tests/support/publishing/slow-uploads.ts'

// A hundredth of `bench/soak/slow-uploads.ts`: many people upload slowly at once. No network: what
// becomes of their jobs is no matter here.

const secret = 'a secret of thirty-two characters'
const mebibyte = 1024 * 1024
const upload = { bytes: mebibyte, bytesPerSecond: mebibyte / 2 }

let dir: string
let service: ServiceProcess
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-slow-'))
  service = await startServiceProcess(['serve', '--port', '0', '--data', dir], {
    LOG_LEVEL: 'error',
    SECRET_KEY: secret,
    PLC_URL: 'http://127.0.0.1:9',
    FIREHOSE_URL: 'http://127.0.0.1:9',
    ALLOW_PRIVATE_HOSTS: '1',
    SPOOL_BYTES_MAX: String(31 * mebibyte), // room for ten: an upload sets three times its bytes aside
  })
}, 120_000)
afterAll(async () => {
  await service.end('SIGKILL')
  await rm(dir, { recursive: true })
})

test('as many as have room are taken, in little memory; the others are sent away at once', async () => {
  const cookies = await signInWithoutNetwork(dir, secret, 14)
  const before = await service.residentBytes()
  const ends = await Promise.all(
    cookies.map((cookie) => uploadSlowly(service.ready.app, cookie, upload)),
  )
  const growth = (await service.residentBytes()) - before

  const refused = ends.filter(({ status }) => status !== 200)
  expect(ends.length - refused.length).toBe(10)
  expect(refused.map(({ status }) => status)).toEqual([429, 429, 429, 429])
  for (const { ms, retryAfter } of refused) {
    expect(ms).toBeLessThan(1_000)
    expect(Number(retryAfter)).toBePositive()
  }
  expect(growth).toBeLessThan(64 * mebibyte)
}, 120_000)
