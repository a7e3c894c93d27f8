import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sentences } from '#api/contract/messages.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { eventually } from './support/eventually.ts'
import { Issuer } from './support/issuer.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let client: AppClient
beforeAll(async () => {
  world = await startWorld()
  client = await world.signedIn('alice.test')
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const expectSeen = (url: string, expected: Record<string, string>): Promise<void> =>
  eventually(async () => {
    for (const [path, text] of Object.entries(expected)) {
      expect(await (await fetch(new URL(path, url))).text()).toBe(text)
    }
  })

describe('deploy/ci/deploy.sh', () => {
  const script = join(import.meta.dir, '../deploy/ci/deploy.sh')
  const runIn = async (folder: string, environment: Record<string, string>) => {
    const child = Bun.spawn([script], {
      env: {
        ...{ PATH: process.env['PATH'] ?? '', SITEHOST_URL: world.app, SITEHOST_FOLDER: folder },
        ...{ SITEHOST_SITE: 'from-ci', ...environment },
      },
      stderr: 'pipe',
    })
    const [out, error] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return [await child.exited, out.trim(), error.trim()] as const
  }

  test('publishes with the token of a job, makes previews with a deploy token, and says why not', async () => {
    await using issuer = new Issuer()
    await issuer.rotate()
    const folder = await mkdtemp(join(tmpdir(), 'sitehost-ci-'))
    await Bun.write(join(folder, 'index.html'), 'from a job')
    await Bun.write(join(folder, 'a b/é "x".txt'), 'odd name')
    const post = async (path: string, json: object) =>
      await client.fetch(path, { method: 'POST', body: JSON.stringify(json) })
    const job = { repository: 'alice/site', ref: 'refs/heads/main' }
    await post('/api/site/from-ci/publishers', { issuer: issuer.url, ...job, scope: 'deploy' })
    const seconds = Math.floor(Date.now() / 1000)
    const times = { iat: seconds, exp: seconds + 300 }
    const claims = { ...job, ...times, aud: new URL(world.app).origin }
    const published = await runIn(folder, {
      ...{ SITEHOST_ACCOUNT: 'alice.test', SITEHOST_ID_TOKEN: await issuer.issue(claims) },
    })
    expect(published).toEqual([0, expect.stringMatching(/^http/), ''])
    await expectSeen(published[1], { '': 'from a job', 'a%20b/%C3%A9%20%22x%22.txt': 'odd name' })

    const created = await post('/api/site/from-ci/tokens', { name: 'ci', scope: 'preview' })
    const { secret } = (await created.json()) as { secret: string }
    const refused = await runIn(folder, { SITEHOST_TOKEN: secret })
    expect(refused).toEqual([1, '', `deploy: ${sentences.tokenForPreviews}`])
    await Bun.write(join(folder, 'index.html'), 'of a pull request')
    const preview = { SITEHOST_TOKEN: secret, SITEHOST_PREVIEW: 'pr-12' }
    const [status, address] = await runIn(folder, preview)
    expect([status, new URL(address).hostname]).toEqual([0, expect.stringMatching(/^pr-12--/)])
    await expectSeen(address, { '': 'of a pull request' })
    await expectSeen(published[1], { '': 'from a job' })
    await rm(folder, { recursive: true })
  })

  test('is what the recipes run', async () => {
    const read = async (name: string) => await Bun.file(join(script, '..', name)).text()
    const known = new Set((await read('deploy.sh')).match(/SITEHOST_[A-Z_]+/g))
    const action = Bun.YAML.parse(await read('action.yml')) as {
      inputs: Record<string, unknown>
      runs: { steps: { run: string; env: Record<string, string> }[] }
    }
    const [step] = action.runs.steps
    expect(step?.run).toContain('/deploy.sh')
    const gitlab = Bun.YAML.parse(await read('gitlab-ci.yml')) as {
      deploy: { variables: object; id_tokens: object; script: string[] }
    }
    const { id_tokens, variables } = gitlab.deploy
    expect(gitlab.deploy.script).toEqual(['./deploy.sh'])
    const named = [step?.env ?? {}, id_tokens, variables].flatMap((each) => Object.keys(each))
    expect(named.filter((name) => !known.has(name))).toEqual([])
    const inputs = Object.values(step?.env ?? {}).map((text) => /inputs\.(\w+)/.exec(text)?.[1])
    expect(inputs.toSorted()).toEqual(Object.keys(action.inputs).toSorted())
  })
})
