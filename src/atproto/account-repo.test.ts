import { expect, test } from 'bun:test'
import type { OAuthSession } from '@atcute/oauth-node-client'
import { alice } from '#tests/support/sample-rows.ts'
import { AccountRepo, ServerUnreachableError } from './account-repo.ts'

/** A session whose server never answers; the signals that it was called with are noted. */
const signals: AbortSignal[] = []
const silent = async (): Promise<OAuthSession> => {
  const handle = (_: string, init: RequestInit) => {
    if (init.signal) signals.push(init.signal)
    return new Promise<Response>(() => undefined)
  }
  return { handle } as unknown as OAuthSession
}

const calls: [string, (repo: AccountRepo) => Promise<unknown>][] = [
  ['latestCommit', (repo) => repo.latestCommit()],
  ['findRecord', (repo) => repo.findRecord('place.sitehost.fs', 'blog')],
  ['listRecords', (repo) => repo.listRecords('place.sitehost.fs', 10)],
  ['putRecord', (repo) => repo.putRecord('place.sitehost.fs', 'blog', {})],
  ['uploadBlob', (repo) => repo.uploadBlob(new Blob(['x']), new AbortController().signal)],
]
for (const [name, call] of calls) {
  test(`${name} ends at once when the repository's signal is aborted`, async () => {
    const stop = new AbortController()
    signals.length = 0
    const calling = call(new AccountRepo(alice, silent, { signal: stop.signal }))
    await Bun.sleep(0)
    stop.abort(new Error('stopped'))
    const error = await calling.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ServerUnreachableError)
    expect(error).toHaveProperty('cause.message', 'stopped')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
}

test('uploadBlob ends its request with its own signal too', async () => {
  const [stop, own] = [new AbortController(), new AbortController()]
  signals.length = 0
  const repo = new AccountRepo(alice, silent, { signal: stop.signal })
  void repo.uploadBlob(new Blob(['x']), own.signal)
  await Bun.sleep(0)
  own.abort()
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})
