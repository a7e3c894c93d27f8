import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { siteLabel } from '#site/site-address.ts'
import { openDatabase } from '#store/database/database.ts'
import { listLogEntries } from '#store/log/log-entries.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { alice, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { eventually } from './support/eventually.ts'

// `sitehost site …` and the others, beside the running service.

const nowhere = { FIREHOSE_URL: 'http://127.0.0.1:9', PLC_URL: 'http://127.0.0.1:9' }
const label = siteLabel(siteOf('blog'))
const site = `${alice}/blog`
const claimed = 'blog.localhost'

let data: string
let service: ServiceProcess
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'sitehost-moderation-'))
  service = await startServiceProcess(['serve', '--port', '0', '--data', data], nowhere)
  await using database = openDatabase({ file: join(data, 'sitehost.db') })
  await goLive(database.db, snapshotOf({}, siteOf('blog')))
  const key = { did: alice, domain: claimed }
  await claimSubdomain(database.db, key, { subdomainsMax: 3, now: 1 })
  await mapSubdomain(database.db, key, nameOf('blog'), 1)
}, 120_000)
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(data, { recursive: true, force: true })
})

const sitehost = (...args: string[]) => runCommand([...args, '--data', data], {})
const because = ['--reason', 'a court said so']
const linesOf = (complaints: string): unknown[] =>
  complaints
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function visit(host: string, path = '/') {
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
  const { status, headers, body } = await rawRequest(
    Number(new URL(service.ready.app).port),
    request,
  )
  return { status, cacheControl: headers['cache-control'], body: body.toString() }
}
const hosts: [host: string, path: string, online: number][] = [
  [`${label}.localhost`, '/', 404],
  [claimed, '/', 404],
  ['sites.localhost', `/${alice}/blog/x`, 302],
]

/** How long until visitors get this status on each host. */
async function shows(statusOf: (online: number) => number): Promise<number> {
  const begun = performance.now()
  for (const [host, path, online] of hosts) {
    const status = statusOf(online)
    await eventually(async () => expect((await visit(host, path)).status).toBe(status))
  }
  return performance.now() - begun
}

describe('sitehost site take-down and bring-back', () => {
  for (const kind of ['site', 'account'] as const) {
    test(`${kind}: visitors of every host notice within a second`, async () => {
      const subject = kind === 'site' ? site : alice
      await shows((online) => online)
      const offline = await sitehost(kind, 'take-down', subject, ...because)
      expect(offline).toMatchObject({ code: 0, said: [`${subject} is offline`] })
      const facts = { did: alice, reason: 'a court said so', actor: expect.stringMatching(/^cli:/) }
      expect(linesOf(offline.complaints)).toMatchObject([
        { event: 'admin_acted', properties: { action: `${kind}.take-down`, subject } },
        { event: 'taken_down', level: 'WARN', properties: facts },
      ])
      expect(await shows(() => 451)).toBeLessThan(1500)
      const { body, cacheControl } = await visit(claimed)
      expect(cacheControl).toBe('no-store')
      expect(body).toContain('<h1>Not available</h1>')
      expect(body).not.toContain('a court said so')
      const back = await sitehost(kind, 'bring-back', subject, ...because)
      expect(back.said).toEqual([`${subject} is back`])
      expect(await shows((online) => online)).toBeLessThan(1500)
    }, 120_000)
  }

  test('the log of the service has each action, once', async () => {
    await using database = openDatabase({ file: join(data, 'sitehost.db') })
    const { db } = database
    for (const event of ['taken_down', 'brought_back'] as const) {
      const entries = await listLogEntries(db, { eventType: event }, { limit: 9 })
      expect(entries.map(({ context, service }) => [context['site'], service])).toEqual([
        [null, 'main-app'],
        ['blog', 'main-app'],
      ])
    }
  })

  test('the audit has who, what and why', async () => {
    const { said } = await sitehost('audit', '--search', `${alice}/blog`)
    expect(said.map((line) => line.split('  ').slice(1).join(' '))).toEqual([
      expect.stringMatching(
        /^cli:\S+ \(\d+\) site\.bring-back did:plc:a+\/blog "a court said so"$/,
      ),
      expect.stringMatching(/^cli:\S+ \(\d+\) site\.take-down did:plc:a+\/blog "a court said so"$/),
    ])
  })
})

const refused: [args: string[], complaint: string][] = [
  [['site', 'retry', site, '--reason', ' '], '--reason: from 1 to 500 characters'],
  [['site', 'retry', site, '--reason', 'x'.repeat(501)], '--reason: from 1 to 500 characters'],
  [['report', 'handle', '1', '--outcome', '', ...because], '--outcome: from 1 to 500 characters'],
  [['site', 'take-down', site], "required option '--reason <text>' not specified"],
  [['site', 'take-down', 'blog', ...because], '"blog" is not a site'],
  [['site', 'take-down', site, '--status', '200', ...because], 'Allowed choices are 451, 404'],
  [['site', 'bring-back', site, ...because], 'is not taken down on its own'],
  [['account', 'show', 'nobody.test'], 'no account with the handle nobody.test'],
  [['account', 'limits', alice, '--sites', '-1', ...because], 'a whole number from 0'],
  [['job', 'cancel', 'x', ...because], 'there is no such upload'],
  [['report', 'handle', '7', '--outcome', 'none', ...because], 'there is no such open report'],
  [['domain', 'release', 'nobody.localhost', ...because], 'nobody has nobody.localhost'],
  [['invite', '--days', '91', ...because], 'a whole number from 1 to 90'],
]
for (const [args, complaint] of refused) {
  test(`${args.join(' ')}: refused`, async () => {
    const { code, complaints } = await sitehost(...args)
    expect([code, complaints.includes(complaint)]).toEqual([1, true])
  }, 120_000)
}

test('limits of an account are set one by one', async () => {
  await sitehost('account', 'limits', alice, '--sites', '3', ...because)
  await sitehost('account', 'limits', alice, '--uploads', '9', ...because)
  const { said } = await sitehost('account', 'show', alice)
  expect(said.at(-1)).toBe('limits     sitesMax 3  bytesMax default  uploadsPerDayMax 9')
  const { said: reset } = await sitehost(
    'account',
    'limits',
    alice,
    '--sites',
    'default',
    ...because,
  )
  expect(reset).toEqual(['sitesMax default  bytesMax default  uploadsPerDayMax 9'])
}, 120_000)

test('an invitation is an address for one guest', async () => {
  const { said } = await sitehost('invite', '--days', '3', ...because)
  expect(said).toEqual([expect.stringMatching(/\/invitation\/[\w-]{27}$/)])
}, 120_000)
