import { beforeEach, describe, expect, test } from 'bun:test'
import type { StoredSession } from '@atcute/oauth-node-client'
import { type MemoryRows, memoryRows } from '#tests/support/database/memory-rows.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { announcedMs, ClientKeys, ClientKeysFullError, clientKeyMs } from './client-keys.ts'
import { sealedStore } from './oauth-rows.ts'
import { createSeal } from './seal.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const seal = await createSeal(['secret'], 'test')

let rows: MemoryRows
let now: number
let queue: Promise<unknown>
beforeEach(() => {
  rows = memoryRows()
  now = Date.UTC(2030, 0, 1)
  queue = Promise.resolve()
})

/** What a process has that works on these rows. */
function keysOf(more: { keysMax?: number } = {}): ClientKeys {
  const withLease = <T>(_: string, work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work, work)
    queue = next
    return next
  }
  return new ClientKeys({ rows, seal, withLease, now: () => now, ...more })
}

const signingId = async (keys: ClientKeys) => (await keys.inUse())[0].jwk.kid
const idsOf = async (keys: ClientKeys) => (await keys.publicKeys()).map(({ kid }) => kid)

/** A session that began with this key. */
async function begun(kid: string): Promise<void> {
  const sessions = sealedStore<string, StoredSession>(rows, seal, 'oauth-session')
  await sessions.set(alice, { authMethod: { method: 'private_key_jwt', kid } } as StoredSession)
}

describe('the first key', () => {
  test('is created on first use, and signs immediately', async () => {
    const keys = keysOf()
    expect(await keys.all()).toEqual([])
    await keys.keep()
    expect(rows.kept.size).toBe(0)
    const kid = await signingId(keys)
    expect(await idsOf(keys)).toEqual([kid])
    expect(await keys.has(kid)).toBe(true)
    expect(await keys.has('another')).toBe(false)
  })

  test('is the same for processes that need it together', async () => {
    const processes = Array.from({ length: 5 }, keysOf)
    const ids = await Promise.all(processes.map(signingId))
    expect(new Set(ids).size).toBe(1)
    expect(rows.kept.size).toBe(1)
  })

  test('shows the world its public half only', async () => {
    const [key] = await keysOf().publicKeys()
    expect(Object.keys(key ?? {}).toSorted()).toEqual(
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'].toSorted(),
    )
    expect(key).toMatchObject({ alg: 'ES256', kty: 'EC', crv: 'P-256' })
    const [row] = rows.kept.values()
    expect(row?.sealed).not.toContain('ES256')
    expect(row?.expiresAt).toBeNull()
  })

  test('of a lost secret is as good as none: another is made', async () => {
    const kid = await signingId(keysOf())
    const other = await createSeal(['another secret'], 'test')
    const keys = new ClientKeys({
      rows,
      seal: other,
      withLease: (_, work) => work(),
      now: () => now,
    })
    expect(await signingId(keys)).not.toBe(kid)
    expect(await keys.has(kid)).toBe(false)
  })
})

describe('a new key', () => {
  test('is shown for an hour before it signs', async () => {
    const keys = keysOf()
    const old = await signingId(keys)
    now += dayMs
    await keys.rotate()
    expect(await idsOf(keys)).toHaveLength(2)
    expect((await idsOf(keys))[0]).toBe(old)
    now += announcedMs - 1
    expect(await signingId(keys)).toBe(old)
    now += 1
    expect(await signingId(keys)).not.toBe(old)
    expect(await idsOf(keys)).toContain(old)
  })

  test('is known to other processes within a minute, and immediately when a session names it', async () => {
    const [one, other] = [keysOf(), keysOf()]
    await signingId(other)
    now += 1
    await one.rotate()
    const [newest] = await one.all()
    expect(await other.all()).toHaveLength(1)
    expect(await other.has(newest?.jwk.kid ?? '')).toBe(true)
    expect(await other.all()).toHaveLength(2)
    await one.rotate()
    expect(await other.all()).toHaveLength(2)
    now += minuteMs
    expect(await other.all()).toHaveLength(3)
  })

  test('is published immediately, by every process', async () => {
    const [one, other] = [keysOf(), keysOf()]
    await signingId(other)
    await one.rotate()
    expect(await idsOf(other)).toHaveLength(2)
  })

  test('is created after ninety days, by one process', async () => {
    const processes = [keysOf(), keysOf(), keysOf()] as const
    await signingId(processes[0])
    now += clientKeyMs - 1
    await Promise.all(processes.map((keys) => keys.keep()))
    expect(rows.kept.size).toBe(1)
    now += 1
    await Promise.all(processes.map((keys) => keys.keep()))
    expect(rows.kept.size).toBe(2)
  })
})

describe('a replaced key', () => {
  const replaced = async (keys: ClientKeys) => {
    const kid = await signingId(keys)
    now += 1
    await keys.rotate()
    return kid
  }

  test('goes a day after the new one has signed first', async () => {
    const keys = keysOf()
    const old = await replaced(keys)
    now += announcedMs + dayMs - 1
    await keys.keep()
    expect(await idsOf(keys)).toContain(old)
    now += 1
    await keys.keep()
    expect(await idsOf(keys)).not.toContain(old)
    expect(rows.kept.size).toBe(1)
  })

  test('stays for as long as a session belongs to it', async () => {
    const keys = keysOf()
    const old = await replaced(keys)
    await begun(old)
    now += 80 * dayMs
    await keys.keep()
    expect(await idsOf(keys)).toContain(old)
    await begun(await signingId(keys))
    await keys.keep()
    expect(await idsOf(keys)).not.toContain(old)
  })

  test('one more than the limit throws', async () => {
    const keys = keysOf({ keysMax: 3 })
    await signingId(keys)
    for (let made = 1; made < 3; made++) await keys.rotate()
    await expect(keys.rotate()).rejects.toBeInstanceOf(ClientKeysFullError)
    expect(rows.kept.size).toBe(3)
  })
})
