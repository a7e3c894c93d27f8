import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { TCPSocketListener } from 'bun'
import { orAborted } from '#concurrency/or-aborted.ts'
import type { AppClient } from '../../devnet/app-client.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld, type World } from '../support/world.ts'

// Twenty-five networks use up the sign-ins that they are allowed, at servers that accept and never answer.
const networksCount = 25
const signInsOfNetwork = 60
const serversCount = 40
/** While they shared a semaphore with the others, all of them together took more than a minute. */
const withinMs = 30_000

let world: World
let bob: AppClient
let silent: TCPSocketListener[]
let connections = 0
beforeAll(async () => {
  world = await startWorld()
  bob = await world.signedIn('bob.test')
  silent = Array.from({ length: serversCount }, () =>
    Bun.listen({
      ...{ hostname: '127.0.0.1', port: 0 },
      socket: { open: () => void connections++, data() {} },
    }),
  )
}, 120_000)
afterAll(async () => {
  for (const server of silent) server.stop(true)
  await world[Symbol.asyncDispose]()
})

async function signIn(handle: string, network: string, signal?: AbortSignal): Promise<number> {
  const response = await fetch(`${world.app}/api/auth/signin`, {
    method: 'POST',
    headers: { 'x-forwarded-for': network },
    body: JSON.stringify({ handle }),
    ...(signal && { signal }),
  })
  await response.body?.cancel()
  return response.status
}

test('a flood of sign-ins at silent servers stops neither a publish nor another sign-in', async () => {
  const flood = new AbortController()
  const all = Array.from({ length: networksCount * signInsOfNetwork }, (_, n) =>
    signIn(
      `http://localhost:${silent[n % serversCount]?.port}`,
      `203.0.113.${n % networksCount}`,
      flood.signal,
    ).catch(() => null),
  )
  await eventually(async () => expect(connections).toBeGreaterThanOrEqual(networksCount))
  const time = AbortSignal.timeout(withinMs)
  const page = { path: 'index.html', body: new Blob(['<h1>here</h1>']) }
  try {
    const [published, status] = await orAborted(
      Promise.all([bob.publish('blog', [page]), signIn('alice.test', '198.51.100.1')]),
      time,
    )
    expect([published['live'], status]).toEqual([true, 200])
  } finally {
    flood.abort()
    await Promise.all(all)
  }
}, 120_000)
