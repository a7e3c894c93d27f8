import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sentences } from '#api/contract/messages.ts'
import { optionalScopes, scopes } from '#atproto/oauth/oauth-client.ts'
import { endSessionsOnServer } from '#tests/support/publishing/pds-tokens.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'
import { startWorld, type World } from './support/world.ts'

// What a person is told when something does not work: what happened, and what to do.

let world: World
beforeAll(async () => {
  world = await startWorld({ pdsEnv: { blobUploadLimit: 1024 * 1024 } })
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const page = [{ path: 'index.html', body: new Blob(['<h1>hello</h1>']) }]

const isNeeded = (scope: string): boolean => !optionalScopes.includes(scope)
const without = (left: string): string => scopes.filter((scope) => scope !== left).join(' ')

describe('signing in', () => {
  test('denied on the server’s page: back to the start, signed out', async () => {
    const browser = world.client()
    expect(await browser.signIn('alice.test', 'hunter2pass', { reject: true })).toBe(
      '/?error=auth_failed',
    )
    expect(await (await browser.fetch('/api/auth/status')).json()).toEqual({ authenticated: false })
  })

  test.each(['atproto', ...scopes.slice(1).filter(isNeeded).map(without)])(
    'granted only %s: back to the start, signed out',
    async (scope) => {
      const browser = world.client()
      expect(await browser.signIn('alice.test', 'hunter2pass', { scope })).toBe(
        '/?error=auth_failed',
      )
      expect(await (await browser.fetch('/api/auth/status')).json()).toEqual({
        authenticated: false,
      })
    },
  )

  test('without the right to keep versions: signed in, and published without history', async () => {
    const browser = world.client()
    const scope = optionalScopes.map(without).join(' ')
    expect(await browser.signIn('bob.test', 'hunter2pass', { scope })).not.toContain('error')
    const result = await browser.publish('blog', page)
    expect(result).toMatchObject({
      versionId: null,
      versionProblem: expect.stringMatching(/sign/i),
    })
  }, 120_000)

  const refused: [string, string][] = [
    ['nobody.test', sentences.unknownHandle],
    ['not a handle', sentences.notAnAccountName],
    ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', 'That account does not exist.'],
    [
      'http://127.0.0.1:9',
      'That server did not answer. Check the address, or try again in a few minutes.',
    ],
  ]
  for (const [handle, details] of refused) {
    test(`as ${handle}`, async () => {
      const answer = await world.client().fetch('/api/auth/signin', {
        method: 'POST',
        body: JSON.stringify({ handle }),
      })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toEqual({ error: 'Authentication failed', details })
    })
  }

  test('in one browser does not complete in another', async () => {
    const [mine, theirs] = [world.client(), world.client()]
    const begun = await mine.fetch('/api/auth/login?handle=alice.test')
    const { consentOverHttp } = await import('../devnet/consent.ts')
    const url = begun.headers.get('location') ?? ''
    const callback = await consentOverHttp(url, 'alice.test', 'hunter2pass')
    const path = callback.pathname + callback.search
    expect((await theirs.fetch(path)).headers.get('location')).toBe('/?error=auth_failed')
    expect(await (await theirs.fetch('/api/auth/status')).json()).toEqual({ authenticated: false })
    expect((await mine.fetch(path)).headers.get('location')).toBe('/onboarding')
    expect((await mine.fetch(path)).headers.get('location')).toBe('/?error=auth_failed')
  })
})

describe('publishing', () => {
  test('signed out: 401', async () => {
    const answer = await world.client().upload('site', page)
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'Unauthorized' }])
  })

  test('a file that the account’s server does not take: named, with both sizes', async () => {
    const alice = await world.signedIn('alice.test')
    const noise = crypto.getRandomValues(new Uint8Array(65_536))
    const big = { path: 'film/big.mp4', body: new Blob(Array(33).fill(noise)) }
    const error = await failureOf(alice, 'too-large', [...page, big])
    expect(error).toBe(
      'Your account’s server takes files of at most 1 MiB, and these are larger: film/big.mp4 (2.2 MB). ' +
        'Make them smaller or leave them out; nothing was published.',
    )
  })

  test('a sign-in that was ended on the account’s server: sign in again', async () => {
    const bob = await world.signedIn('bob.test')
    endSessionsOnServer(world.networkDir)
    const error = await failureOf(bob, 'ended', page)
    expect(error).toBe(
      'Your sign-in has ended. Sign in again, then upload once more; nothing was published.',
    )
  })

  test('the account’s server is down: try again later; the sites stay up, also after a restart', async () => {
    const carol = await world.signedIn('carol.test')
    const stays = await visitable(carol, 'stays', [
      ...page,
      textFile('about/index.html', '<h1>about</h1>'),
      textFile('notes.txt', 'a note, again and again\n'.repeat(1000)),
    ])
    const unvisited = await visitable(carol, 'unvisited', page)
    await world.network.stop()
    const error = await failureOf(carol, 'down', page)
    expect(error).toBe(
      'Your account’s server did not answer. Nothing was published; try again in a few minutes.',
    )
    expect(await served(stays)).toEqual(stays)
    await world.restart()
    const all = [...stays, ...unvisited]
    expect(await served(all)).toEqual(all)
  }, 120_000)
})

interface Served {
  readonly url: string
  readonly status: number
  readonly body: string
}

/** Publishes a site; what its visitors have to get, page by page. */
async function visitable(
  client: AppClient,
  siteName: string,
  files: readonly UploadFile[],
): Promise<Served[]> {
  const { url } = await client.publish(siteName, files)
  return await Promise.all(
    files.map(async ({ path, body }) => {
      const address = new URL(path.replace(/index\.html$/, ''), String(url))
      return { url: address.href, status: 200, body: await body.text() }
    }),
  )
}

function served(pages: readonly Served[]): Promise<Served[]> {
  return Promise.all(
    pages.map(async ({ url }) => {
      const answer = await fetch(url)
      return { url, status: answer.status, body: await answer.text() }
    }),
  )
}

async function failureOf(
  client: AppClient,
  siteName: string,
  files: readonly UploadFile[],
): Promise<string | null> {
  const answer = await client.upload(siteName, files)
  const { jobId } = (await answer.json()) as { jobId: string }
  return (await client.watch(jobId)).error
}
