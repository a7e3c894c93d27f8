import { beforeEach, expect, test } from 'bun:test'
import { type SealedRows, sealedStore } from './oauth-rows.ts'
import { createSeal } from './seal.ts'

type Row = { sealed: string; expiresAt: number | null }
type Session = { token: string; expiresAt: number }

let kept: Map<string, Row>
let rows: SealedRows
beforeEach(() => {
  kept = new Map()
  rows = {
    get: async (kind, key) => kept.get(`${kind} ${key}`)?.sealed ?? null,
    put: async (kind, key, sealed, expiresAt) =>
      void kept.set(`${kind} ${key}`, { sealed, expiresAt }),
    delete: async (kind, key) => void kept.delete(`${kind} ${key}`),
  }
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

test('whoever keeps the rows sees when they end, and nothing else', async () => {
  await (await storeOf()).set('a', session)
  const [row] = kept.values()
  expect(row?.expiresAt).toBe(5)
  expect(row?.sealed).not.toContain('refresh')
})

test('a row that was copied to another key or kind is none', async () => {
  const store = await storeOf()
  await store.set('a', session)
  const row = kept.get('session a') as Row
  kept.set('session b', row).set('state a', row)
  expect(await store.get('b')).toBeUndefined()
  expect(await (await storeOf('state')).get('a')).toBeUndefined()
})

test('a row that was altered, or sealed under a secret that was lost, is none', async () => {
  const store = await storeOf()
  await store.set('a', session)
  expect(await (await storeOf('session', 'other')).get('a')).toBeUndefined()
  kept.set('session a', { sealed: 'AAAA', expiresAt: null })
  expect(await store.get('a')).toBeUndefined()
})

test('rows go one by one only', async () => {
  const store = await storeOf()
  expect(() => store.clear()).toThrow()
})
