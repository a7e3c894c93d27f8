import { expect, test } from 'bun:test'
import { isUnused } from '#store/lifecycle/unused-sealed-rows.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newToken, siteOf } from '#tests/support/database/sample-rows.ts'
import { endDeployTokensOf, findDeployToken, listDeployTokens } from './deploy-tokens.ts'
import {
  createPublisher,
  deletePublisher,
  exchangeIdToken,
  forgetUsedIdTokens,
  listPublishers,
  type NewPublisher,
} from './publishers.ts'

onEachStore('store/accounts/publishers', (db) => {
  const blog = siteOf('blog')
  const create = (facts: Partial<NewPublisher> = {}) =>
    createPublisher(
      db(),
      {
        ...{ id: crypto.randomUUID(), did: alice, site: nameOf('blog'), scope: 'deploy' },
        ...{ issuer: 'https://forge.example', repository: 'alice/site', ref: 'refs/heads/main' },
        ...{ environment: null, authority: null, ...facts },
      },
      { publishersMax: 2, now: 1 },
    )
  const exchange = (hash: string, facts: { id?: string; publisherId?: string } = {}) =>
    exchangeIdToken(
      db(),
      { ...newToken({ hash: `token of ${hash}` }), publisherId: 'p', ...facts },
      { hash, expiresAt: 100, repositoryId: '17' },
      { tokensMax: 2, now: 50 },
    )

  test('a site has a limited number of them', async () => {
    expect([await create(), await create(), await create()]).toEqual([true, true, false])
    expect(await create({ did: bob })).toBe(true)
  })

  test('a token of a forge is exchanged once, until it is forgotten', async () => {
    await create({ id: 'p' })
    expect(await exchange('a')).toBe('exchanged')
    expect(await exchange('a')).toBe('used-before')
    expect(await listPublishers(db(), blog)).toMatchObject([{ repositoryId: '17', usedAt: 50 }])
    expect(await listDeployTokens(db(), blog)).toEqual([])
    await forgetUsedIdTokens(db(), 100)
    expect(await exchange('a')).toBe('used-before')
    await forgetUsedIdTokens(db(), 101)
    expect(await db().selectFrom('usedIdTokens').selectAll().execute()).toEqual([])
  })

  test('a site has a limited number of tokens in exchange, and one that is refused is not used up', async () => {
    await create({ id: 'p' })
    expect([await exchange('a'), await exchange('b')]).toEqual(['exchanged', 'exchanged'])
    expect([await exchange('c'), await exchange('c')]).toEqual([
      'too-many-tokens',
      'too-many-tokens',
    ])
    expect(await exchange('d', { publisherId: 'gone' })).toBe('publisher-gone')
  })

  test('its tokens end with it', async () => {
    await create({ id: 'p' })
    await exchange('a')
    expect(await deletePublisher(db(), siteOf('other'), 'p')).toBe(false)
    expect(await deletePublisher(db(), blog, 'p')).toBe(true)
    expect((await findDeployToken(db(), 'token of a'))?.endedBy).toBe('revoked')
  })

  test('go with the account’s sessions, or with those of another authority', async () => {
    await create({ id: 'old', authority: 'old' })
    await create({ id: 'new', authority: 'new' })
    expect(await endDeployTokensOf(db(), alice, 'new')).toBe(1)
    expect(await listPublishers(db(), blog)).toMatchObject([{ id: 'new' }])
    const clock = { now: 1, idleMs: 1 }
    expect(await isUnused(db(), alice, clock)).toBe(false)
    await endDeployTokensOf(db(), alice)
    expect(await isUnused(db(), alice, clock)).toBe(true)
  })
})
