import { beforeEach, expect, test } from 'bun:test'
import { type MemoryRows, memoryRows } from '#tests/support/database/memory-rows.ts'
import { sealedStore } from './oauth-rows.ts'
import { createSeal } from './seal.ts'

type Session = { token: string; expiresAt: number }

let rows: MemoryRows
beforeEach(() => {
  rows = memoryRows()
})

const storeOf = async (kind = 'session', secret = 'secret') =>
  sealedStore<string, Session>(rows, await createSeal([secret], 'test'), kind, (s) => s.expiresAt)
const session: Session = { token: 'refresh-me', expiresAt: 5 }

test('what was set is there, until it is deleted', async () => {
  const store = await storeOf()
  expect(await store.get('a')).toBeUndefined()
  await store.set('a', session)
  expect(await store.get('a')).toEqual(session)
  await store.delete('a')
  expect(await store.get('a')).toBeUndefined()
})

test('a row is opened once while it stays the same, and what was opened cannot be changed', async () => {
  const store = await storeOf()
  await store.set('a', session)
  const first = (await store.get('a')) as Session
  expect(await store.get('a')).toBe(first)
  expect(() => Object.assign(first, { token: 'other' })).toThrow(TypeError)
  await store.set('a', { ...session, token: 'newer' })
  expect(await store.get('a')).toEqual({ ...session, token: 'newer' })
})

test('the database sees when rows expire, and nothing else', async () => {
  await (await storeOf()).set('a', session)
  const [row] = rows.kept.values()
  expect(row?.expiresAt).toBe(5)
  expect(row?.sealed).not.toContain('refresh')
})

test('a row that was copied to another key or kind counts as missing', async () => {
  const store = await storeOf()
  await store.set('a', session)
  const row = rows.kept.get('session a') as { sealed: string; expiresAt: null }
  rows.kept.set('session b', row).set('state a', row)
  expect(await store.get('a')).toEqual(session)
  expect(await store.get('b')).toBeUndefined()
  expect(await (await storeOf('state')).get('a')).toBeUndefined()
})

test('a row that was altered, or sealed with a lost secret, counts as missing', async () => {
  const store = await storeOf()
  await store.set('a', session)
  expect(await (await storeOf('session', 'other')).get('a')).toBeUndefined()
  rows.kept.set('session a', { sealed: 'AAAA', expiresAt: null })
  expect(await store.get('a')).toBeUndefined()
})

test('rows are only deleted one by one', async () => {
  const store = await storeOf()
  expect(() => store.clear()).toThrow()
})

test('entries are all rows of a kind that open', async () => {
  const store = await storeOf()
  const keys = Array.from({ length: 450 }, (_, n) => `did:${String(n).padStart(3, '0')}`)
  for (const key of keys.toReversed()) await store.set(key, { token: key, expiresAt: 1 })
  await (await storeOf('session', 'another secret')).set('did:100', session)
  await (await storeOf('other kind')).set('did:5000', session)
  const found: string[] = []
  for await (const [key, { token }] of store.entries()) {
    expect(token).toBe(key)
    found.push(key)
  }
  expect(found).toEqual(keys.filter((key) => key !== 'did:100'))
})
