import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sentences } from '#api/contract/messages.ts'
import { audienceOf, manageMethod } from '#site/service-token.ts'
import { createSession, putRecord } from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import type { CommandEnd } from '#tests/support/processes/run-command.ts'
import { runInProcess } from '#tests/support/processes/site-commands.ts'
import { type InstalledCli, installCli } from '#tests/support/processes/site-owner-cli.ts'
import { startWorld, type World } from '#tests/support/world.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { consentOverHttp } from '../../devnet/consent.ts'
import { startIssuer } from '../../devnet/issuer.ts'

// The commands that ask a Sitehost, with tokens that a real account server signs for it.

let cli: InstalledCli
let world: World
let browser: AppClient
beforeAll(async () => {
  ;[cli, world] = await Promise.all([
    installCli(),
    startWorld({ environment: { ALSO_SERVE: 'place.wisp' } }),
  ])
  browser = await world.signedIn('alice.test')
  await signIn()
  await Bun.write(join(cli.dir, 'site/index.html'), 'by the Sitehost')
  await Bun.write(join(cli.dir, 'site/.env'), 'SECRET=1')
})
afterAll(async () => {
  await cli?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const environment = () => ({
  PATH: process.env['PATH'] ?? '',
  PLC_URL: world.network.plc,
  HANDLE_RESOLVER_URL: world.network.pds,
  ALLOW_PRIVATE_HOSTS: '1',
  SITEHOST_URL: world.app,
  XDG_DATA_HOME: join(cli.dir, '.local/share'),
})

/** By the browser: the tokens of the commands have the scopes that the person consents to. */
async function signIn(): Promise<void> {
  let arrived: Promise<string> | undefined
  const onComplaints = (text: string) => {
    const address = text.match(/^http\S+(?=\r?\n)/m)?.[0]
    if (address === undefined) return
    arrived ??= consentOverHttp(address, 'alice.test', 'hunter2pass').then(
      async (url) => await (await fetch(url)).text(),
    )
  }
  const login = await runInProcess(['login', 'alice.test', '--no-browser'], {
    environment: environment(),
    onComplaints,
  })
  expect(await arrived).toContain('You are signed in.')
  expect(login.code).toBe(0)
}

const run = (args: string[], more = {}): Promise<CommandEnd> =>
  runInProcess(args, { environment: { ...environment(), ...more } })
async function json(...args: string[]) {
  const { code, complaints, said } = await run([...args, '--json'])
  if (code !== 0) throw new Error(complaints)
  return JSON.parse(said.join(''))
}

test('tokens are created, listed without their secrets, and revoked', async () => {
  const { said } = await run(['tokens', 'create', 'my forge', '--preview', '--site', 'blog'])
  expect(said).toEqual([expect.stringMatching(/^shd_/)])
  const { tokens } = await json('tokens', 'list', '--site', 'blog')
  expect(tokens).toEqual([expect.objectContaining({ name: 'my forge', scope: 'preview' })])
  expect(JSON.stringify(tokens)).not.toContain(String(said[0]))
  expect(await json('tokens', 'revoke', tokens[0].id, '--site', 'blog')).toEqual({
    ...{ site: 'blog', revoked: tokens[0].id },
  })
  expect(await run(['tokens', 'list', '--site', 'blog'])).toMatchObject({
    ...{ code: 0, said: [] },
    complaints: expect.stringContaining('blog has no deploy tokens at http'),
  })
})

test.each(['0', '366', 'x'])('a token for %s days is a mistake of the option', async (days) => {
  const end = await run(['tokens', 'create', 'ci', '--days', days, '--site', 'blog'])
  expect(end).toMatchObject({ code: 2, said: [] })
  expect(end.complaints).toBe('--days: expected a number from 1 to 365.\n')
})

test('publishers are added, listed and removed', async () => {
  const add = ['publishers', 'add', 'alice/site', '--site', 'blog']
  expect((await run(add)).code).toBe(2)
  const { publisher } = await json(...add, '--branch', 'main')
  expect(publisher).toMatchObject({ ref: 'refs/heads/main', scope: 'deploy' })
  const { said } = await run(['publishers', 'list', '--site', 'blog'])
  expect(said).toEqual([expect.stringContaining('alice/site of token.actions')])
  await json('publishers', 'remove', publisher.id, '--site', 'blog')
  const again = await run(['publishers', 'remove', publisher.id, '--site', 'blog'])
  expect([again.code, again.complaints]).toEqual([1, `${sentences.publisherNotFound}\n`])
})

test('webhooks are added with a secret, tried and removed', async () => {
  const add = ['webhooks', 'add', 'http://127.0.0.1:1/', '--events']
  const mistaken = await run([...add, 'site.published,site.gone'])
  expect([mistaken.code, mistaken.complaints]).toEqual([
    2,
    expect.stringMatching(/^--events: "site.gone" is none of site.published, /),
  ])
  const { said } = await run([...add, 'site.published, site.deleted', '--site', 'blog'])
  expect(said).toEqual([expect.stringMatching(/^whsec_/)])
  const { webhooks } = await json('webhooks', 'list')
  expect(webhooks).toMatchObject([{ rkey: 'blog', events: ['site.published', 'site.deleted'] }])
  const [{ id }] = webhooks
  expect(await json('webhooks', 'test', id)).toMatchObject({ delivery: { event: 'webhook.test' } })
  const log = await run(['webhooks', 'log', id])
  expect(log.said).toEqual([expect.stringContaining('webhook.test')])
  await json('webhooks', 'remove', id)
  const again = await run(['webhooks', 'remove', id])
  expect([again.code, again.complaints]).toEqual([1, `${sentences.webhookNotFound}\n`])
})

test('webhooks of another network are listed with what each would be here, and brought over', async () => {
  const account = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
  const facts = { url: 'http://127.0.0.1:1/theirs', createdAt: '2026-01-02T03:04:05.678Z' }
  const aturi = `at://${account.did}`
  await putRecord(account, 'place.wisp.v2.wh', 'all', { scope: { aturi }, ...facts })
  await putRecord(account, 'place.wisp.v2.wh', 'posts', {
    ...{ scope: { aturi: `${aturi}/app.bsky.feed.post` }, ...facts },
  })
  const listed = await run(['webhooks', 'foreign'])
  expect(listed.said.map((line) => line.replace(/ +/g, ' '))).toEqual([
    'posts http://127.0.0.1:1/theirs: it is not about sites',
    'all all sites on http://127.0.0.1:1/theirs (site.published, site.deleted)',
  ])
  expect(listed.complaints).toContain('all: Changes of other records than sites are not sent.')
  const brought = await run(['webhooks', 'bring-over', 'all'])
  expect(brought).toMatchObject({ code: 0, said: [expect.stringMatching(/^whsec_/)] })
  expect(brought.complaints).toContain('another body and signature')
  const again = await run(['webhooks', 'bring-over', 'all'])
  expect([again.code, again.complaints]).toEqual([1, `${sentences.foreignWebhookPresent}\n`])
  const posts = await run(['webhooks', 'bring-over', 'posts'])
  expect([posts.code, posts.complaints]).toEqual([1, `${sentences.foreignWebhookNotAboutSites}\n`])
})

test('names are claimed, mapped and released; domains say which records they need', async () => {
  const { domain } = await json('domains', 'claim', 'alices-blog')
  expect(domain).toMatch(/^alices-blog\./)
  const reserved = await run(['domains', 'claim', 'www'])
  expect(reserved).toMatchObject({ code: 2, complaints: expect.stringContaining('not reserved') })
  const unknown = await run(['domains', 'map', 'alices-blog', '--site', 'none'])
  expect(unknown).toMatchObject({ code: 1, complaints: 'Site not found\n' })
  expect(await json('domains', 'map', 'alices-blog', '--none')).toEqual({ domain, site: null })
  const added = await run(['domains', 'add', 'www.alice-of-tests.net'])
  expect(added.said).toEqual([
    expect.stringMatching(/^_sitehost\.www\.alice-of-tests\.net TXT did:plc:/),
    expect.stringMatching(/^www\.alice-of-tests\.net CNAME /),
  ])
  expect((await run(['domains', 'list'])).said).toEqual([
    `${domain}  leads to no site  claimed`.replace(/^\S+/, (cell) => cell.padEnd(22)),
    'www.alice-of-tests.net  leads to no site  not verified',
  ])
  for (const each of ['alices-blog', 'www.alice-of-tests.net']) {
    expect((await run(['domains', 'release', each])).code).toBe(0)
  }
  expect(await run(['domains', 'list'])).toMatchObject({
    ...{ code: 0, said: [] },
    complaints: expect.stringContaining('You have no names or domains at http'),
  })
})

test('an app password does it, too; whoever is not signed in there is told so', async () => {
  const as = (handle: string) => ({ SITEHOST_HANDLE: handle, SITEHOST_APP_PASSWORD: 'hunter2pass' })
  expect((await run(['domains', 'list'], as('alice.test'))).code).toBe(0)
  const { code, complaints } = await run(['domains', 'list'], as('bob.test'))
  expect([code, complaints]).toEqual([1, expect.stringContaining(sentences.serviceTokenOfNobody)])
})

describe('deploy says where to look', () => {
  const deploy = async (args: string[], more = {}) => {
    const end = await run(['deploy', join(cli.dir, 'seen'), '--site', 'seen', ...args], more)
    return { ...end, last: end.said.at(-1) ?? '' }
  }
  const noSitehost = { SITEHOST_URL: '' }
  const write = (text: string) => Bun.write(join(cli.dir, 'seen/index.html'), text)

  test('by a command, where no Sitehost is known', async () => {
    await write('first')
    const live = await deploy([], noSitehost)
    expect(live).toMatchObject({ code: 0, last: expect.stringMatching(/^version 3\w{12}$/) })
    expect(live.complaints).toContain('sitehost open seen --instance https://')
    const preview = await deploy(['--preview=draft'], noSitehost)
    expect(preview.complaints).toMatch(/ shows it at draft--\w{26}\.<its domain>\.\n/)
    expect(preview.complaints).toContain('sitehost promote draft --site seen')
    const unknown = await deploy(['--wait'], noSitehost)
    expect(unknown).toMatchObject({
      code: 2,
      complaints: expect.stringContaining(
        '--wait: no address to look at. Name one, as in --wait=https://',
      ),
    })
  })

  test('by the address that the Sitehost has, with --wait once visitors get it there', async () => {
    await write('to be seen')
    const { last } = await deploy(['--wait'])
    expect(await (await fetch(last)).text()).toBe('to be seen')
    expect((await deploy([])).last).toBe(last)
    expect(await json('rollback', 'previous', '--site', 'seen', '--wait')).toMatchObject({
      url: last,
    })
    await json('domains', 'claim', 'seen-by-all')
    await json('domains', 'map', 'seen-by-all', '--site', 'seen')
    expect(new URL((await deploy([])).last).hostname).toStartWith('seen-by-all.')
    const { last: preview } = await deploy(['--preview=draft'])
    expect(new URL(preview).hostname).toStartWith('draft--seen-by-all.')
    await eventually(async () => {
      expect(await (await fetch(preview)).text()).toBe('to be seen')
    })
    expect((await deploy(['--preview'])).last).toMatch(/^http:\/\/v--/)
    await json('domains', 'release', 'seen-by-all')
  })

  test('and a Sitehost that does not answer changes neither result nor exit status', async () => {
    const silent = { SITEHOST_URL: 'http://127.0.0.1:1' }
    const end = await deploy([], silent)
    expect(end).toMatchObject({
      code: 0,
      complaints: expect.stringContaining('sitehost open seen'),
    })
    expect(await deploy(['--wait'], silent)).toMatchObject({
      ...{ code: 3, complaints: expect.stringContaining('127.0.0.1:1 did not answer') },
    })
  })
})

describe('a hostile Sitehost that the sitehost.json of a folder names', () => {
  /** Deploys a folder that names it; what the Sitehost saw, and how the deploy ended. */
  async function attackedBy(answer: () => Response | Promise<Response>) {
    const seen: Request[] = []
    await using server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      fetch(request) {
        seen.push(request.clone())
        return answer()
      },
    })
    const folder = join(cli.dir, 'hostile')
    await Bun.write(join(folder, 'index.html'), 'mine')
    await Bun.write(join(folder, 'sitehost.json'), JSON.stringify({ instance: server.url.origin }))
    const end = await run(['deploy', folder, '--site', 'mine'], { SITEHOST_URL: '' })
    const deploys = seen.length
    const opened = isEndless(answer)
      ? null
      : await run(['open', 'mine'], { SITEHOST_URL: server.url.origin })
    return { seen: seen.slice(0, deploys), origin: server.url.origin, end, opened }
  }

  test('gets a token that is for it alone, and ends soon', async () => {
    const { end, origin, seen } = await attackedBy(() => new Response('{}'))
    expect(end.code).toBe(0)
    expect(seen.map(({ url }) => new URL(url).pathname)).toEqual(['/api/user/sites'])
    const token = seen[0]?.headers.get('authorization')?.replace('Bearer ', '') ?? ''
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ aud: audienceOf(origin), lxm: manageMethod })
    expect(claims.exp).toBeLessThanOrEqual(Date.now() / 1000 + 61)
    const saved = await Bun.file(join(cli.dir, '.local/share/sitehost/accounts.json')).text()
    const sent = JSON.stringify(seen.map(({ headers }) => [...headers]))
    for (const [secret] of saved.matchAll(/(?<="(?:access|refresh)_token":")[^"]+/g)) {
      expect(sent).not.toContain(secret)
    }
  })

  const row = { rkey: 'mine', cid: 'bafy', state: 'live', primary: null, domains: [] }
  const zeros = new Uint8Array(1 << 20)
  const never = () => new Promise<Response>(() => {})
  const isEndless = (answer: unknown) => answer === never
  test.each<[string, () => Response | Promise<Response>]>([
    ['another scheme', () => Response.json({ sites: [{ ...row, url: 'file:///etc/passwd' }] })],
    ['control characters', () => Response.json({ error: '\x1b]0;x\x07\x1b[2J' }, { status: 400 })],
    ['a redirect', () => Response.redirect(`${world.app}/api/user/sites`)],
    [
      'an endless body',
      () => new Response(new ReadableStream({ pull: (to) => to.enqueue(zeros) })),
    ],
    ['nothing', never],
  ])('answers with %s: the deploy is as it was', async (_, answer) => {
    const { end, opened } = await attackedBy(answer)
    expect(end).toMatchObject({
      code: 0,
      complaints: expect.stringContaining('sitehost open mine'),
    })
    expect(end.said.at(-1)).toMatch(/^version /)
    // A terminal would obey it, and a browser open it.
    if (opened !== null) {
      expect(opened).toMatchObject({
        ...{ code: 1, said: [], complaints: expect.stringMatching(/^[ -~\u2019\n]+$/) },
      })
    }
  })
})

describe('deploy --via', () => {
  const folder = () => join(cli.dir, 'site')
  const viaArgs = (args: string[]) => ['deploy', folder(), '--via', world.app, '--json', ...args]
  const deploy = (args: string[], more = {}) => run(viaArgs(args), more)
  const shown = async ({ said, complaints }: CommandEnd) => {
    const result = JSON.parse(said.join('') || `{"error":${JSON.stringify(complaints)}}`)
    return { ...result, text: await (await fetch(result.url)).text() }
  }

  test('lets the Sitehost publish, and leaves no token', async () => {
    // On Node, as people have it.
    const first = await cli.run(viaArgs(['--site', 'via']), environment())
    expect(await shown(first)).toMatchObject({
      ...{ files: { total: 1, sent: 1 }, live: true, text: 'by the Sitehost' },
      leftOut: [{ path: '.env' }],
    })
    expect(await json('tokens', 'list', '--site', 'via')).toMatchObject({ tokens: [] })
    expect(await shown(await deploy(['--site', 'via']))).toMatchObject({ files: { sent: 0 } })
    expect((await deploy(['--site', 'via', '--dry-run'])).code).toBe(2)
  })

  test('open prints the best address of a site where there is no terminal, and says what is not there', async () => {
    const post = (path: string, body: object) =>
      browser.fetch(path, { method: 'POST', body: JSON.stringify(body) })
    const { domain } = (await (await post('/api/domain/claim', { handle: 'opened' })).json()) as {
      domain: string
    }
    await post('/api/domain/sitehost/map-site', { domain, siteRkey: 'via' })
    const { url, ...opened } = await json('open', 'via')
    expect([new URL(url).hostname, opened]).toEqual([domain, { site: 'via', live: true }])
    const none = await run(['open', 'none'])
    expect([none.code, none.complaints]).toEqual([1, expect.stringContaining('sitehost sites')])
  })

  test('in a job: with a deploy token, or with the token of its forge, and nobody signed in', async () => {
    const nobody = { XDG_DATA_HOME: join(cli.dir, 'job') }
    const { secret } = await json('tokens', 'create', 'ci', '--preview', '--site', 'via')
    const token = { ...nobody, SITEHOST_TOKEN: secret }
    const refused = await deploy(['--site', 'via'], token)
    expect([refused.code, refused.complaints]).toEqual([
      1,
      expect.stringContaining(sentences.tokenForPreviews),
    ])
    const preview = await deploy(['--site', 'via', '--preview', 'pr-7'], token)
    expect((await shown(preview)).url).toMatch(/\/\/pr-7--/)

    await using issuer = await startIssuer()
    const job = { claims: { repository: 'alice/site', ref: 'refs/heads/main' } }
    const forge = { ...nobody, ...issuer.environmentOf(job) }
    expect((await deploy(['--site', 'via'], forge)).complaints).toContain('SITEHOST_ACCOUNT')
    const of = ['--issuer', issuer.url, '--branch', 'main', '--site', 'via']
    await json('publishers', 'add', 'alice/site', ...of)
    await Bun.write(join(folder(), 'index.html'), 'by a job')
    const published = await deploy(['--site', 'via'], { ...forge, SITEHOST_ACCOUNT: 'alice.test' })
    expect(await shown(published)).toMatchObject({ text: 'by a job' })
  })
})

describe('a token of the account’s server', () => {
  const tokenOf = async (facts: { aud?: string; lxm?: string; exp?: number } = {}) => {
    const { accessJwt } = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
    const exp = String(facts.exp ?? Math.floor(Date.now() / 1000) + 60)
    const { aud = audienceOf(world.app), lxm = manageMethod } = facts
    const query = new URLSearchParams({ aud, lxm, exp })
    const url = `${world.network.pds}/xrpc/com.atproto.server.getServiceAuth?${query}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${accessJwt}` } })
    return ((await response.json()) as { token: string }).token
  }
  const ask = async (token: string, path = '/api/user/domains') => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(world.app + path, { headers })
    return [response.status, ((await response.json()) as { error?: string }).error]
  }

  test('works once, for this Sitehost and this purpose, within minutes, where a route takes it', async () => {
    const token = await tokenOf()
    expect(await ask(token)).toEqual([200, undefined])
    expect(await ask(token)).toEqual([401, sentences.serviceTokenUsed])
    const refusals = {
      [await tokenOf({ aud: 'did:web:other.example' })]: sentences.serviceTokenForOthers,
      [await tokenOf({ lxm: 'app.bsky.feed.getFeed' })]: sentences.serviceTokenForOthers,
      [await tokenOf({ exp: Math.floor(Date.now() / 1000) + 1800 })]: sentences.serviceTokenExpired,
    }
    for (const [each, sentence] of Object.entries(refusals)) {
      expect(await ask(each)).toEqual([401, sentence])
    }
    const [header, , signature] = token.split('.')
    const [, payload] = (await tokenOf()).split('.')
    const forged = `${header}.${payload}.${signature}`
    expect(await ask(forged)).toEqual([401, sentences.serviceTokenInvalid])
    expect(await ask(await tokenOf(), '/api/user/usage')).toEqual([401, 'Unauthorized'])
  })
})
