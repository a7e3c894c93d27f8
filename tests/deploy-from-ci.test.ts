import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sentences } from '#api/contract/messages.ts'
import { devSettings } from '#main/commands/dev-network.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { type ForgeIssuer, type ForgeJob, startIssuer } from '../devnet/issuer.ts'
import { eventually } from './support/eventually.ts'
import {
  runAction,
  runForkJob,
  runGitlabJob,
  runRecipe,
  runShellExample,
  runTangled,
} from './support/publishing/ci-recipes.ts'
import { hasPrograms } from './support/require.ts'
import { startWorld, type World } from './support/world.ts'

const hasTools = await hasPrograms('deploying from CI', 'curl', 'jq')

let world: World
let client: AppClient
let issuer: ForgeIssuer
beforeAll(async () => {
  issuer = await startIssuer()
  world = await startWorld({ canFail: true })
  client = await world.signedIn('alice.test')
}, 300_000)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const expectSeen = (url: string, expected: Record<string, string>): Promise<void> =>
  eventually(async () => {
    for (const [path, text] of Object.entries(expected)) {
      expect(await (await fetch(new URL(path, url))).text()).toBe(text)
    }
  })

const ofMain = { repository: 'alice/site', ref: 'refs/heads/main' }
const post = async (path: string, json: object) =>
  await client.fetch(path, { method: 'POST', body: JSON.stringify(json) })

interface Secret {
  readonly secret: string
}

describe.skipIf(!hasTools)('deploy/ci/deploy.sh', () => {
  const runIn = (folder: string, environment: Record<string, string>) =>
    runRecipe({
      ...{ SITEHOST_URL: world.app, SITEHOST_FOLDER: folder, SITEHOST_SITE: 'from-ci' },
      ...environment,
    })

  test('publishes with the token of a job, makes previews with a deploy token, and says why not', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitehost-ci-'))
    await Bun.write(join(folder, 'index.html'), 'from a job')
    await Bun.write(join(folder, 'a b/é "x".txt'), 'odd name')
    await post('/api/site/from-ci/publishers', { issuer: issuer.url, ...ofMain, scope: 'deploy' })
    const job = { SITEHOST_ACCOUNT: 'alice.test', ...issuer.environmentOf({ claims: ofMain }) }
    const published = await runIn(folder, job)
    expect(published).toEqual([0, expect.stringMatching(/^http/), ''])
    await expectSeen(published[1], { '': 'from a job', 'a%20b/%C3%A9%20%22x%22.txt': 'odd name' })
    const elsewhere = issuer.environmentOf({ claims: { ...ofMain, ref: 'refs/heads/x' } })
    expect(await runIn(folder, { ...job, ...elsewhere })).toEqual([
      1,
      '',
      `deploy: ${sentences.noPublisherOf('ref', 'refs/heads/x')}`,
    ])

    const created = await post('/api/site/from-ci/tokens', { name: 'ci', scope: 'preview' })
    const { secret } = (await created.json()) as Secret
    const refused = await runIn(folder, { SITEHOST_TOKEN: secret })
    expect(refused).toEqual([1, '', `deploy: ${sentences.tokenForPreviews}`])
    await Bun.write(join(folder, 'index.html'), 'of a pull request')
    const inputs = { url: world.app, site: 'from-ci', folder, token: secret }
    const { end, outputs } = await runAction(folder, { ...inputs, preview: 'pr-12' })
    const [status, address] = end
    expect([status, new URL(address).hostname]).toEqual([0, expect.stringMatching(/^pr-12--/)])
    expect(outputs).toBe(`address=${address}\n`)
    expect((await runAction(folder, inputs)).end).toEqual(refused)
    await expectSeen(address, { '': 'of a pull request' })
    await expectSeen(published[1], { '': 'from a job' })
    await rm(folder, { recursive: true })
  })

  test('removes previews, after what is being published', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sitehost-ci-'))
    const site = { SITEHOST_SITE: 'merged' }
    await Bun.write(join(folder, 'index.html'), 'of a pull request')
    const secretOf = async (name: string, scope: string) =>
      ((await (await post(`/api/site/${name}/tokens`, { name: 'ci', scope })).json()) as Secret)
        .secret
    const preview = { ...site, SITEHOST_TOKEN: await secretOf('merged', 'preview') }
    const [, address] = await runIn(folder, { ...preview, SITEHOST_PREVIEW: 'pr-12' })
    await expectSeen(address, { '': 'of a pull request' })
    const remove = { ...preview, SITEHOST_REMOVE: 'pr-12' }
    const ofOther = { ...remove, SITEHOST_TOKEN: await secretOf('other', 'deploy') }
    const refused = `deploy: ${sentences.tokenOfOtherSite}`
    expect(await runIn(folder, ofOther)).toEqual([1, '', refused])

    world.network.setFaults({ 'com.atproto.repo.applyWrites': { hold: true } })
    const publish = { ...site, SITEHOST_TOKEN: await secretOf('merged', 'deploy') }
    const merged = runIn(folder, publish)
    const deletion = () => client.fetch('/api/site/merged', { method: 'DELETE' })
    await eventually(async () =>
      expect(await (await deletion()).text()).toContain(sentences.beingPublished),
    )
    // It sleeps before it asks again.
    const bin = join(folder, '.git')
    const asleep = Bun.file(join(bin, 'asleep'))
    await Bun.write(join(bin, 'sleep'), `#!/bin/sh\ntouch ${asleep.name}\nexec /bin/sleep "$@"\n`)
    await chmod(join(bin, 'sleep'), 0o700)
    const removed = runIn(folder, { ...remove, PATH: `${bin}:${process.env['PATH']}` })
    await eventually(async () => expect(await asleep.exists()).toBe(true))
    world.network.setFaults({})
    const [status, url] = await merged
    expect([status, await removed]).toEqual([0, [0, '', '']])
    await eventually(async () => expect((await fetch(address)).status).toBe(410))
    await expectSeen(url, { '': 'of a pull request' })
    expect(await runIn(folder, remove)).toEqual([0, '', ''])
    await rm(folder, { recursive: true })
  })
})

describe.skipIf(!hasTools)('the recipes, as they are shipped', () => {
  let repository: string
  beforeAll(async () => {
    repository = await mkdtemp(join(tmpdir(), 'sitehost-recipes-'))
  })
  afterAll(() => rm(repository, { recursive: true }))

  const examples = (site: string) => ({
    ...{ 'https://sitehost.example': new URL(world.app).origin, 'alice.example.com': 'alice.test' },
    ...{
      'SITE: blog': `SITE: ${site}`,
      'SITE=blog': `SITE=${site}`,
      'site: blog': `site: ${site}`,
    },
  })
  const build = (text: string) => Bun.write(join(repository, 'public/index.html'), text)
  const tokenFor = async (site: string, scope: string) => {
    const created = await post(`/api/site/${site}/tokens`, { name: 'ci', scope })
    return ((await created.json()) as Secret).secret
  }

  test('for GitLab: a branch, a merge request, and its end', async () => {
    const { repository: project } = ofMain
    for (const publisher of [ofMain, { repository: project, scope: 'preview' }]) {
      const listed = { issuer: issuer.url, scope: 'deploy', ...publisher }
      expect((await post('/api/site/gitlab/publishers', listed)).status).toBe(200)
    }
    const run = async (job: string, ref: string) => {
      const token = await issuer.tokenOf({ claims: { ...ofMain, ref } }, new URL(world.app).origin)
      const ofRunner = { SITEHOST_ID_TOKEN: token, CI_MERGE_REQUEST_IID: '7' }
      return await runGitlabJob(repository, job, examples('gitlab'), ofRunner)
    }
    await build('of the branch')
    const [status, site] = await run('publish', 'refs/heads/main')
    expect(status).toBe(0)
    await build('of the merge request')
    const [, preview, complaints] = await run('preview', 'refs/merge-requests/7/head')
    expect(complaints).toBe('')
    expect(new URL(preview).hostname).toStartWith('mr-7--')
    await expectSeen(preview, { '': 'of the merge request' })
    await expectSeen(site, { '': 'of the branch' })
    expect(await run('remove preview', 'refs/merge-requests/7/head')).toEqual([0, '', ''])
    await eventually(async () => expect((await fetch(preview)).status).toBe(410))
  })

  test('for Tangled, and for a shell', async () => {
    const SITEHOST_TOKEN = await tokenFor('tangled', 'deploy')
    await build('of Tangled')
    const [status, site] = await runTangled(repository, examples('tangled'), { SITEHOST_TOKEN })
    expect(status).toBe(0)
    await expectSeen(site, { '': 'of Tangled' })
    await build('of a shell')
    const secret = { secret: SITEHOST_TOKEN }
    expect(await runShellExample(repository, examples('tangled'), secret)).toEqual([0, site, ''])
    await expectSeen(site, { '': 'of a shell' })
  })

  test('for forks: the preview of a pull request is that which GitHub names, and is removed', async () => {
    await build('of a fork')
    const folder = join(repository, 'public')
    // GitHub's own program, which asks GitHub: which pull request a branch has.
    const gh = join(folder, '.git/gh')
    await Bun.write(gh, '#!/bin/sh\n[ "$3" = mallory:main ] && echo 12\n')
    await chmod(gh, 0o700)
    const given = {
      ...examples('forked'),
      ['$' + '{{ runner.temp }}/site']: folder,
      ['$' + '{{ secrets.SITEHOST_PREVIEW_TOKEN }}']: await tokenFor('forked', 'preview'),
      ['$' + '{{ github.event.number }}']: '12',
    }
    const environment = {
      ...{ PATH: `${dirname(gh)}:${process.env['PATH']}`, GITHUB_REPOSITORY: 'alice/site' },
      ...{ GITHUB_REPOSITORY_OWNER: 'alice', OWNER: 'mallory', BRANCH: 'main' },
    }
    const { end } = await runForkJob(folder, 'deploy', given, environment)
    expect(end[2]).toBe('')
    expect(new URL(end[1]).hostname).toStartWith('pr-12--')
    await expectSeen(end[1], { '': 'of a fork' })
    expect((await runForkJob(folder, 'remove', given, environment)).end).toEqual([0, '', ''])
    await eventually(async () => expect((await fetch(end[1])).status).toBe(410))
  })
})

describe('the token of a job, by a real issuer', () => {
  const exchange = async (token: string, site = 'of-jobs'): Promise<[number, string]> => {
    const body = JSON.stringify({ account: 'alice.test', site, token })
    const response = await fetch(`${world.app}/api/tokens/exchange`, { method: 'POST', body })
    const { error, secret } = (await response.json()) as { error?: string; secret?: string }
    return [response.status, error ?? secret ?? '']
  }
  const origin = () => new URL(world.app).origin
  const tokenOf = (job: Partial<ForgeJob> = {}, audience = origin()) =>
    issuer.tokenOf({ claims: ofMain, ...job }, audience)

  test('deploys, also when the issuer’s keys rotate; another one is refused with the claim that does not match', async () => {
    await post('/api/site/of-jobs/publishers', { issuer: issuer.url, ...ofMain, scope: 'deploy' })
    const before = await tokenOf()
    await issuer.rotateKeys()
    const secrets: string[] = []
    const tokens: string[] = []
    const exchanged = async (token: string, site = 'of-jobs') => {
      tokens.push(token)
      return await exchange(token, site)
    }
    for (const token of [before, await tokenOf()]) {
      const [status, secret] = await exchanged(token)
      expect([status, secret]).toEqual([200, expect.stringMatching(/^shd_/)])
      secrets.push(secret)
      expect(await exchanged(token)).toEqual([403, sentences.idTokenUsed])
    }
    const { noPublisherOf } = sentences
    const claims = (changed: object) => ({ claims: { ...ofMain, ...changed } })
    for (const [token, sentence] of [
      [await tokenOf({}, 'https://other.example'), sentences.idTokenForOthers(origin())],
      [await tokenOf({ expiresIn: -61 }), sentences.idTokenExpired],
      [await tokenOf(claims({ repository: 'm/x' })), noPublisherOf('repository', 'm/x')],
      [await tokenOf(claims({ ref: 'refs/tags/v1' })), noPublisherOf('ref', 'refs/tags/v1')],
    ] as const) {
      expect(await exchanged(token)).toEqual([403, sentence])
    }
    expect(await exchanged(await tokenOf(), 'other')).toEqual([
      403,
      noPublisherOf('iss', issuer.url),
    ])
    expect((await beginDeploy('from-ci', secrets[0] ?? '')).status).toBe(403)

    // Administrators read the log from the database.
    await eventually(async () => expect(await storedText()).toContain('deploy token exchanged'))
    expectNoneIn(await storedText(), secrets, tokens)
  })

  test('is in nothing that the process prints, whether it is accepted or not', async () => {
    await world.restart({}, async () => {
      const { port } = new URL(world.app)
      const environment = { ...devSettings(world.network), LOG_LEVEL: 'debug' }
      const args = ['serve', '--port', port, '--data', world.dataDir]
      await using service = await startServiceProcess(args, environment)
      const good = await tokenOf()
      const tokens = [good, good, await tokenOf({ expiresIn: -61 }), `${await tokenOf()}x`]
      tokens.push(await tokenOf({}, 'https://other.example'))
      const answers: [number, string][] = []
      for (const token of tokens) answers.push(await exchange(token))
      expect(answers.map(([status]) => status)).toEqual([200, 403, 403, 403, 403])
      const secret = answers[0]?.[1] ?? ''
      const begun = await beginDeploy('of-jobs', secret)
      expect(begun.status).toBe(200)
      expect((await beginDeploy('other', secret)).status).toBe(403)
      expect((await beginDeploy('of-jobs', `${secret}x`)).status).toBe(401)
      await service.end('SIGTERM')
      const printed = service.output() + (await service.complaints())
      expect(printed).toContain('deploy token exchanged')
      expectNoneIn(printed, [secret], tokens)
    })
  })

  const file = { path: 'a.html', sha256: 'a'.repeat(64), size: 1 }
  const beginDeploy = (site: string, secret: string) =>
    fetch(`${world.app}/api/site/${site}/deploys`, {
      ...{ method: 'POST', body: JSON.stringify({ files: [file] }) },
      headers: { authorization: `Bearer ${secret}` },
    })

  function expectNoneIn(text: string, secrets: readonly string[], tokens: readonly string[]): void {
    const pieces = tokens.flatMap((token) => token.split('.').slice(1))
    for (const piece of [...secrets, ...pieces]) expect(text).not.toContain(piece)
  }

  async function storedText(): Promise<string> {
    const files = (await readdir(world.dataDir)).filter((name) => name.startsWith('sitehost.db'))
    const texts = files.map((name) => Bun.file(join(world.dataDir, name)).text())
    return (await Promise.all(texts)).join('\n')
  }
})
