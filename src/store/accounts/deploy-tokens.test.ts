import { expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  nameOf,
  newToken,
  newVersion,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import {
  createDeployToken,
  deleteExpiredTokens,
  findDeployToken,
  listDeployTokens,
  type NewDeployToken,
  revokeDeployToken,
  touchDeployToken,
} from './deploy-tokens.ts'
import { createBrowserSession, deleteSessionsOfOthers, endSessionsOf } from './sessions.ts'

onEachStore('store/accounts/deploy-tokens', (db) => {
  const blog = siteOf('blog')
  const create = (facts: Partial<NewDeployToken> = {}, now = 1) =>
    createDeployToken(db(), newToken(facts), { tokensMax: 2, now })
  const hashes = async (site = blog) => (await listDeployTokens(db(), site)).map(({ hash }) => hash)
  const endOf = async (hash: string) => (await findDeployToken(db(), hash))?.endedBy

  test('a token is found by its hash', async () => {
    const token = newToken({ hash: 'h' })
    await create(token, 7)
    const row = { ...token, createdAt: 7, usedAt: null, endedBy: null }
    expect(await findDeployToken(db(), 'h')).toEqual(row)
    await touchDeployToken(db(), token.id, 9)
    expect(await findDeployToken(db(), 'h')).toEqual({ ...row, usedAt: 9 })
    expect(await findDeployToken(db(), 'other')).toBeNull()
  })

  test('a site has a limited number of them; those that have ended do not count', async () => {
    expect(await create({ id: 'a', expiresAt: 10 })).toBe(true)
    expect(await create({ id: 'b' })).toBe(true)
    expect(await create({}, 9)).toBe(false)
    expect(await create({ site: nameOf('other') }, 9)).toBe(true)
    expect(await create({ did: bob }, 9)).toBe(true)
    expect(await create({}, 10)).toBe(true)
    expect(await create({}, 10)).toBe(false)
    await revokeDeployToken(db(), blog, 'b')
    expect(await create({}, 10)).toBe(true)
  })

  test('are listed newest first, without those that were revoked', async () => {
    await create({ hash: 'a', id: 'a' }, 1)
    await create({ hash: 'b' }, 2)
    await create({ hash: 'c', site: nameOf('other') }, 2)
    expect(await hashes()).toEqual(['b', 'a'])
    expect(await revokeDeployToken(db(), blog, 'a')).toBe(true)
    expect(await revokeDeployToken(db(), blog, 'a')).toBe(false)
    expect(await hashes()).toEqual(['b'])
    expect(await endOf('a')).toBe('revoked')
  })

  test('are revoked by their own site alone', async () => {
    await create({ id: 'a' })
    for (const site of [siteOf('other'), { did: bob, name: nameOf('blog') }]) {
      expect(await revokeDeployToken(db(), site, 'a')).toBe(false)
    }
  })

  test('the rows of 50 that were revoked stay', async () => {
    for (let i = 0; i < 52; i++) {
      await create({ id: `t${i}`, hash: `h${i}` }, i + 1)
      await revokeDeployToken(db(), blog, `t${i}`)
    }
    await create({}, 100)
    expect([await endOf('h1'), await endOf('h2')]).toEqual([undefined, 'revoked'])
  })

  test('end with the account’s sessions', async () => {
    await create({ hash: 'a' })
    await create({ hash: 'b', did: bob })
    await endSessionsOf(db(), alice)
    expect([await endOf('a'), await endOf('b')]).toEqual(['signed-out', null])
  })

  test('end when the account has another server or key', async () => {
    await create({ hash: 'a', authority: 'old' })
    await create({ hash: 'b', authority: 'new' })
    await createBrowserSession(db(), { idHash: 's', did: alice, expiresAt: 1000 }, 1)
    expect(await deleteSessionsOfOthers(db(), alice, 'new')).toBe(true)
    expect([await endOf('a'), await endOf('b')]).toEqual(['signed-out', null])
    expect(await deleteSessionsOfOthers(db(), alice, 'new')).toBe(false)
  })

  test('go with their site', async () => {
    await upsertAccount(db(), { did: alice, pds: 'https://pds.test' }, 1)
    await recordVersion(db(), newVersion(), 1)
    await create({ hash: 'a' })
    await create({ hash: 'b', site: nameOf('other') })
    await removeSite(db(), blog, '3zzzzzzzzzzzz', 2)
    expect([await endOf('a'), await endOf('b')]).toEqual([undefined, null])
  })

  test('30 days after their end nothing is left of them', async () => {
    await create({ hash: 'a', expiresAt: 10 })
    const monthMs = 30 * 24 * 60 * 60 * 1000
    await deleteExpiredTokens(db(), 9 + monthMs)
    expect(await hashes()).toEqual(['a'])
    await deleteExpiredTokens(db(), 10 + monthMs)
    expect(await hashes()).toEqual([])
  })
})
