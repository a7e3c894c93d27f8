import { expect, test } from 'bun:test'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { appendAuditEntry, listAuditEntries } from './audit.ts'

onEachStore('store/moderation/audit', (db) => {
  const entry = { at: 1, actor: 'ruth', action: 'site.take-down', subject: 'x/blog', reason: 'r' }
  const append = (facts: object = {}) => appendAuditEntry(db(), { ...entry, details: {}, ...facts })
  const found = async (search: string) =>
    (await listAuditEntries(db(), { search, limit: 10 })).map(({ at }) => at)

  test('entries are listed newest first, page by page', async () => {
    for (const at of [1, 2, 3]) await append({ at })
    const [newest, ...others] = await listAuditEntries(db(), { limit: 2 })
    expect([newest?.at, ...others.map(({ at }) => at)]).toEqual([3, 2])
    const before = others[0]?.id
    expect((await listAuditEntries(db(), { before, limit: 2 })).map(({ at }) => at)).toEqual([1])
  })

  test('a search finds actor, action, subject and reason, literally and in any case', async () => {
    await append({ at: 1, actor: 'cli:Root' })
    await append({ at: 2, action: 'domain.recheck', subject: 'www.example.org' })
    await append({ at: 3, reason: '100% spam_ or \\ so' })
    expect(await found('cli:root')).toEqual([1])
    expect(await found('EXAMPLE.org')).toEqual([2])
    expect(await found('100%')).toEqual([3])
    expect(await found('spam_')).toEqual([3])
    expect(await found('\\ so')).toEqual([3])
    expect([await found('1%m'), await found('_xample'), await found('!')]).toEqual([[], [], []])
  })

  test('a search of many entries lets the event loop run, and finds the oldest', async () => {
    await append({ at: 1, reason: 'needle' })
    for (let n = 0; n < 25; n++) {
      const rows = Array.from({ length: 1_000 }, () => ({ ...entry, details: '{}', at: 2 }))
      await db().insertInto('auditEntries').values(rows).execute()
    }
    let turns = 0
    let isSearching = true
    const countTurns = async () => {
      for (; isSearching; turns++) await yieldEventLoop()
    }
    const counting = countTurns()
    expect(await found('needle')).toEqual([1])
    isSearching = false
    expect(turns).toBeGreaterThan(0)
    await counting
  })

  test('details, control characters and NUL come back as text', async () => {
    await append({ details: { status: 451, list: ['a\0'] }, reason: 'a\0\r\nb' })
    const [stored] = await listAuditEntries(db(), { limit: 1 })
    expect(stored).toMatchObject({
      details: { status: 451, list: ['a\0'] },
      reason: 'a\u{FFFD}\r\nb',
    })
  })

  test('the oldest entries go beyond the maximum', async () => {
    for (const at of [1, 2, 3]) await appendAuditEntry(db(), { ...entry, at, details: {} }, 2)
    expect((await listAuditEntries(db(), { limit: 9 })).map(({ at }) => at)).toEqual([3, 2])
  })
})
