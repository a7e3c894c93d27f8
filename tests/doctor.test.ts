import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { startDnsServer } from '#tests/support/servers/dns-server.ts'

test('sitehost doctor: beside a public service, and where settings are wrong', async () => {
  const fetch = () => new Response(null, { headers: { date: new Date().toUTCString() } })
  await using directory = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  const here = { a: ['127.0.0.1'] }
  await using dns = await startDnsServer({ 'sitehost.net': here, 'sites.net': here })
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-doctor-'))
  const data = ['--data', join(dir, 'data')]
  const ask = `127.0.0.1:${await ownPort()}`
  const environment = {
    ...{ PORT: await ownPort(), LOG_LEVEL: 'warning', ASK_LISTEN: ask, DNS_SERVERS: dns.address },
    ...{ BASE_URL: 'https://sitehost.net', BASE_DOMAIN: 'sites.net', BAES_URL: 'https://x.net' },
    ...{ FIREHOSE_URL: 'http://127.0.0.1:9', PLC_URL: directory.url.origin },
  }
  const doctor = (options: readonly string[], changed = {}) =>
    runCommand(['doctor', ...options, ...data], { ...environment, ...changed })
  {
    await using service = await startServiceProcess(['serve', ...data], environment)
    const { code, said, complaints } = await doctor(['--json'])
    const { findings } = JSON.parse(said.join()) as { findings: { about: string; level: string }[] }
    const levelsOf = (wanted: string) =>
      findings.filter(({ about }) => about === wanted).map(({ level }) => level)
    expect(levelsOf('settings')).toEqual(['ok', 'warning'])
    expect(levelsOf('DNS')).toEqual(['ok', 'ok', 'problem', 'problem'])
    for (const about of ['port', 'certificates', 'clock', 'database']) {
      expect([about, levelsOf(about)]).toEqual([about, ['ok']])
    }
    for (const about of ['disk space', 'disk speed', 'open files']) {
      expect(levelsOf(about)).toHaveLength(1)
    }
    expect([code, complaints]).toEqual([1, expect.stringMatching(/^sitehost: \d problems\n$/)])
    expect(await service.end('SIGTERM')).toBe(0)
  }
  const wrong = await doctor([], { BASE_URL: 'http://sitehost.net' })
  expect(wrong.code).toBe(1)
  expect(wrong.said[0]).toMatch(/^problem {2}settings {7}BASE_URL: https/)
  expect(wrong.said.join('\n')).toContain('BAES_URL is not a setting of Sitehost: BASE_URL is one')
  await rm(dir, { recursive: true })
}, 120_000)
