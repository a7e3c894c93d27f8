// `bun bench/soak/slow-uploads.ts [uploads]`: so many people (1000) upload 10 MB each at 100 kB a second,
// all at once. Shows the service's memory and how many were taken and refused; budget 512 MB.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { signInWithoutNetwork, uploadSlowly } from '#tests/support/publishing/slow-uploads.ts'

const count = Number(process.argv[2] ?? 1000)
const secret = 'a secret of thirty-two characters'
const upload = { bytes: 10_000_000, bytesPerSecond: 100_000 }
const residentMax = 512 * 1024 * 1024

const dir = await mkdtemp(join(tmpdir(), 'sitehost-slow-'))
{
  await using service = await startServiceProcess(['serve', '--port', '0', '--data', dir], {
    LOG_LEVEL: 'error',
    SECRET_KEY: secret,
    PLC_URL: 'http://127.0.0.1:9',
    FIREHOSE_URL: 'http://127.0.0.1:9',
    ALLOW_PRIVATE_HOSTS: '1',
  })
  const cookies = await signInWithoutNetwork(dir, secret, count)
  let peak = 0
  const sampler = setInterval(() => {
    void service.residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes)
    })
  }, 250)
  const ends = await Promise.all(
    cookies.map((cookie) => uploadSlowly(service.ready.app, cookie, upload)),
  )
  clearInterval(sampler)
  const refused = ends.filter(({ status }) => status === 429)
  const slowestRefusal = Math.max(0, ...refused.map(({ ms }) => ms))
  const others = ends.filter(({ status }) => status !== 200 && status !== 429)
  const taken = ends.filter(({ status }) => status === 200).length
  process.stdout.write(
    `${count} uploads: ${taken} taken, ${refused.length} refused within ${slowestRefusal.toFixed(0)} ms, ` +
      `${others.length} failed${others.length ? ` (${others[0]?.status}, ${others[0]?.ms.toFixed(0)} ms)` : ''}; resident memory ${(peak / 1024 / 1024).toFixed(0)} MB ` +
      `at most (${peak <= residentMax ? 'within' : 'OVER'} ${residentMax / 1024 / 1024} MB)\n`,
  )
}
await rm(dir, { recursive: true })
