import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  deleteExpiredSealed,
  deleteSealed,
  getSealed,
  putSealed,
  sealedPages,
  swapSealed,
} from './sealed-rows.ts'

onEachStore('store/accounts/sealed-rows', (db) => {
  const row = { kind: 'state', key: 'k' }
  const put = (sealed: string, expiresAt: number | null = null) =>
    putSealed(db(), { ...row, sealed, expiresAt })

  test('a row is found by its key, and replaced by the next', async () => {
    await put('one')
    expect(await getSealed(db(), row, 0)).toBe('one')
    await put('two')
    expect(await getSealed(db(), row, 0)).toBe('two')
  })

  test('kinds are separate', async () => {
    await put('one')
    expect(await getSealed(db(), { kind: 'session', key: 'k' }, 0)).toBeNull()
  })

  test('an expired row is not found', async () => {
    await put('one', 100)
    expect(await getSealed(db(), row, 99)).toBe('one')
    expect(await getSealed(db(), row, 100)).toBeNull()
  })

  test('rows of a kind are listed page by page, without expired ones', async () => {
    for (const key of ['b', 'a', 'd', 'c']) {
      const expiresAt = key === 'c' ? 100 : null
      await putSealed(db(), { kind: 'state', key, sealed: `sealed ${key}`, expiresAt })
    }
    await putSealed(db(), { kind: 'other', key: 'a', sealed: 'x', expiresAt: null })
    const pages = sealedPages(db(), 'state', { limit: 2, now: () => 100 })
    expect(await Array.fromAsync(pages)).toEqual([
      [
        { key: 'a', sealed: 'sealed a' },
        { key: 'b', sealed: 'sealed b' },
      ],
      [{ key: 'd', sealed: 'sealed d' }],
    ])
  })

  test('a row is swapped only while it is what was seen', async () => {
    expect(await swapSealed(db(), row, 'one', 'two')).toBe(false)
    await put('one')
    expect(await swapSealed(db(), row, 'other', 'two')).toBe(false)
    expect(await swapSealed(db(), { ...row, key: 'another' }, 'one', null)).toBe(false)
    expect(await swapSealed(db(), row, 'one', 'two')).toBe(true)
    expect(await swapSealed(db(), row, 'one', null)).toBe(false)
    expect(await getSealed(db(), row, 0)).toBe('two')
    expect(await swapSealed(db(), row, 'two', null)).toBe(true)
    expect(await getSealed(db(), row, 0)).toBeNull()
  })

  test('a deleted row is not found', async () => {
    await put('one')
    await deleteSealed(db(), row)
    expect(await getSealed(db(), row, 0)).toBeNull()
  })

  test('only expired rows are swept, never ones without an end', async () => {
    await put('one')
    await putSealed(db(), { kind: 'state', key: 'old', sealed: 'x', expiresAt: 100 })
    await putSealed(db(), { kind: 'state', key: 'new', sealed: 'x', expiresAt: 101 })
    await deleteExpiredSealed(db(), 100)
    const left = await db().selectFrom('sealedRows').select('key').orderBy('key').execute()
    expect(left).toEqual([{ key: 'k' }, { key: 'new' }])
  })
})
