import { describe, expect, test } from 'bun:test'
import { Hono } from 'hono'
import type { ApiEnv } from '#api/context.ts'
import { answerError } from '#api/errors.ts'
import { parseTrustedProxies } from '#http/client-address.ts'
import { recordingLog } from '#tests/support/api.ts'
import { SignInSlots } from './sign-in-slots.ts'

const trustedProxies = parseTrustedProxies('127.0.0.1') ?? []
const server = { requestIP: () => ({ address: '127.0.0.1' }), timeout: () => {} }

type SignInStep = Parameters<SignInSlots['use']>[0]

/** Sign-ins whose servers answer when told to. */
function openDesk({ waitMsMax }: { readonly waitMsMax?: number } = {}) {
  const slots = new SignInSlots({
    elapsed: () => 1_000_000,
    trustedProxies,
    ...(waitMsMax && { waitMsMax }),
  })
  const started: string[] = []
  const answers: (() => void)[] = []
  const app = new Hono<ApiEnv>()
  app.onError(answerError(recordingLog()))
  app.get('/:step', (c) =>
    slots.use(c.req.param('step') as SignInStep, c, async () => {
      started.push(c.req.header('x-forwarded-for') ?? '')
      await new Promise<void>((answer) => answers.push(answer))
      return c.text('done')
    }),
  )
  return {
    started,
    async signIn(network: string, step: SignInStep = 'begin'): Promise<number> {
      const headers = { 'x-forwarded-for': network }
      return (await app.request(`/${step}`, { headers }, { server })).status
    },
    answerOne: () => answers.shift()?.(),
    answerAll() {
      for (const answer of answers.splice(0)) answer()
    },
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('sign-ins in progress', () => {
  test('are three of a network, and an IPv6 network is a /48', async () => {
    const desk = openDesk()
    const all = Array.from({ length: 6 }, (_, n) => desk.signIn(`2001:db8:1:${n}::1`))
    all.push(desk.signIn('2001:db8:2::1'))
    await settled()
    expect(desk.started).toHaveLength(4)
    desk.answerAll()
    await settled()
    desk.answerAll()
    expect(await Promise.all(all)).toEqual(all.map(() => 200))
  })

  test('are 128 in all; further ones get 429 when they have waited too long', async () => {
    const desk = openDesk({ waitMsMax: 20 })
    const first = Array.from({ length: 128 }, (_, n) => desk.signIn(`192.0.2.${n}`))
    await settled()
    expect(await desk.signIn('198.51.100.1')).toBe(429)
    expect(desk.started).toHaveLength(128)
    desk.answerAll()
    await Promise.all(first)
  })

  test('that come back from their servers do not wait behind them', async () => {
    const desk = openDesk()
    const begun = Array.from({ length: 128 }, (_, n) => desk.signIn(`192.0.2.${n}`))
    await settled()
    const back = desk.signIn('192.0.2.1', 'complete')
    await settled()
    expect(desk.started).toHaveLength(129)
    desk.answerAll()
    expect(await back).toBe(200)
    await Promise.all(begun)
  })
})

test('a freed permit goes to the network with the fewest recent sign-ins', async () => {
  const desk = openDesk()
  const networks = Array.from({ length: 64 }, (_, n) => `192.0.2.${n}`)
  const all = networks.flatMap((network) => [desk.signIn(network), desk.signIn(network)])
  await settled()
  for (const network of networks) all.push(desk.signIn(network))
  await settled()
  all.push(desk.signIn('198.51.100.1'))
  await settled()
  desk.answerOne()
  await settled()
  expect(desk.started.at(-1)).toBe('198.51.100.1')
  while (desk.started.length < all.length) {
    desk.answerAll()
    await settled()
  }
  desk.answerAll()
  expect(await Promise.all(all)).toEqual(all.map(() => 200))
})
