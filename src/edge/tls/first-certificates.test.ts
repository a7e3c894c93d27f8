import { beforeEach, expect, test } from 'bun:test'
import { createSecureContext, type SecureContext } from 'node:tls'
import { FirstCertificates } from './first-certificates.ts'

const host = 'blog.sites.example'
let clock: number
let context: SecureContext | null
let learned: () => void
let wanted: string[]
let isTried: boolean
let first: FirstCertificates
beforeEach(() => {
  clock = 0
  context = null
  wanted = []
  isTried = true
  learned = () => undefined
  first = new FirstCertificates({
    contexts: { contextOf: () => context },
    index: {
      await: (_, callback) => {
        learned = callback
        return { [Symbol.dispose]: () => undefined }
      },
    },
    now: () => clock,
    permits: (name) => name === host,
    want: async (name) => {
      wanted.push(name)
      return isTried
    },
  })
})

test('visitors of a permitted host wait for one order, and get its certificate', async () => {
  const visits = [first.contextOf(host), first.contextOf(host)]
  expect(first.isWaiting).toBe(true)
  await Promise.resolve()
  context = createSecureContext({})
  learned()
  const [one, other] = await Promise.all(visits)
  expect([one === context, other === context, wanted]).toEqual([true, true, [host]])
  expect(first.isWaiting).toBe(false)
})

test('others are refused at once, from memory', () => {
  expect([first.contextOf('other.sites.example'), wanted]).toEqual([null, []])
})

test('nobody waits where the last order failed and the next one is not due; it is looked at again after a minute', async () => {
  isTried = false
  expect(await first.contextOf(host)).toBeNull()
  expect([first.contextOf(host), wanted]).toEqual([null, [host]])
  clock += 60_000
  expect(await first.contextOf(host)).toBeNull()
  expect(wanted).toEqual([host, host])
})
