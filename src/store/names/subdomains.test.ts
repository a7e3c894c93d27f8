import { describe, expect, test } from 'bun:test'
import { keptSubdomainMs } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { readChanges } from '#store/database/changes.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, nameOf } from '#tests/support/database/sample-rows.ts'
import {
  claimSubdomain,
  findSubdomain,
  listSubdomains,
  mapSubdomain,
  releaseSubdomain,
  renameSubdomain,
} from './subdomains.ts'

const subdomainsMax = 3

onEachStore('store/names/subdomains', (db) => {
  const claim = (domain: string, did: Did = alice, now = 1) =>
    claimSubdomain(db(), { did, domain }, { subdomainsMax, now })
  const owned = async (did: Did = alice) =>
    (await listSubdomains(db(), did)).map(({ domain }) => domain)
  const told = async () =>
    (await readChanges(db(), 0)).map((change) => change.kind === 'host' && change.host)

  describe('claiming', () => {
    test('gives a free name to the account', async () => {
      expect(await claim('a.example', alice, 7)).toEqual({ claimed: true })
      expect(await findSubdomain(db(), 'a.example')).toEqual({
        domain: 'a.example',
        did: alice,
        site: null,
        createdAt: 7,
        updatedAt: 7,
        isPrimary: false,
      })
      expect(await told()).toEqual(['a.example'])
    })

    test('a taken name changes nothing, even for its owner', async () => {
      await claim('a.example')
      for (const did of [alice, bob]) {
        expect(await claim('a.example', did)).toEqual({ claimed: false, reason: 'taken' })
      }
      expect(await owned(bob)).toEqual([])
      expect(await told()).toEqual(['a.example'])
    })

    test('gives names up to the limit of each account', async () => {
      for (const name of ['a', 'b', 'c']) {
        expect(await claim(`${name}.example`)).toEqual({ claimed: true })
      }
      expect(await claim('d.example')).toEqual({ claimed: false, reason: 'limit' })
      expect(await claim('d.example', bob)).toEqual({ claimed: true })
      await releaseSubdomain(db(), { did: alice, domain: 'b.example' }, 2)
      expect(await claim('e.example', alice, 3)).toEqual({ claimed: true })
      expect(await owned()).toEqual(['a.example', 'c.example', 'e.example'])
    })

    test('gives a name to one of fifty concurrent accounts', async () => {
      const accounts = Array.from({ length: 50 }, (_, n) => accountOf(n))
      const outcomes = await Promise.all(accounts.map((did) => claim('a.example', did)))
      expect(outcomes.filter(({ claimed }) => claimed)).toHaveLength(1)
      expect(outcomes.filter((each) => !each.claimed && each.reason === 'taken')).toHaveLength(49)
      const winner = accounts[outcomes.findIndex(({ claimed }) => claimed)]
      expect((await findSubdomain(db(), 'a.example'))?.did).toBe(winner as Did)
      expect(await told()).toEqual(['a.example'])
    })

    test('gives an account its limit of fifty concurrent claims', async () => {
      const names = Array.from({ length: 50 }, (_, n) => `name-${n}.example`)
      const outcomes = await Promise.all(names.map((name) => claim(name)))
      expect(outcomes.filter(({ claimed }) => claimed)).toHaveLength(subdomainsMax)
      expect(await owned()).toHaveLength(subdomainsMax)
    })
  })

  describe('renaming', () => {
    const rename = (domain: string, newDomain: string, did: Did = alice, now = 9) =>
      renameSubdomain(db(), { did, domain }, newDomain, now)

    test('keeps its site and its age', async () => {
      await claim('a.example', alice, 1)
      await claim('b.example', alice, 2)
      await mapSubdomain(db(), { did: alice, domain: 'a.example' }, nameOf('blog'), 3)
      expect(await rename('a.example', 'z.example')).toBe('renamed')
      expect((await listSubdomains(db(), alice))[0]).toEqual({
        domain: 'z.example',
        did: alice,
        createdAt: 1,
        updatedAt: 9,
        site: nameOf('blog'),
        isPrimary: false,
      })
      expect(await findSubdomain(db(), 'a.example')).toBeNull()
      expect((await told()).slice(-2)).toEqual(['a.example', 'z.example'])
    })

    test('to a taken name changes nothing', async () => {
      await claim('a.example')
      await claim('b.example', bob)
      await claim('c.example')
      expect(await rename('a.example', 'b.example')).toBe('taken')
      expect(await rename('a.example', 'c.example')).toBe('taken')
      expect(await owned()).toEqual(['a.example', 'c.example'])
      expect(await told()).toHaveLength(3)
    })

    test('to its own name changes nothing', async () => {
      await claim('a.example')
      expect(await rename('a.example', 'a.example')).toBe('renamed')
      expect(await told()).toHaveLength(1)
    })

    test('another account’s name, or an unclaimed one, is not found', async () => {
      await claim('a.example')
      expect(await rename('a.example', 'z.example', bob)).toBe('not-found')
      expect(await rename('b.example', 'z.example')).toBe('not-found')
      expect(await rename('a.example', 'a.example', bob)).toBe('not-found')
    })

    test('concurrently to one name succeeds for one of fifty, and the others keep theirs', async () => {
      const accounts = Array.from({ length: 50 }, (_, n) => accountOf(n))
      await Promise.all(accounts.map((did, n) => claim(`name-${n}.example`, did)))
      const outcomes = await Promise.all(
        accounts.map((did, n) => rename(`name-${n}.example`, 'wanted.example', did)),
      )
      expect(outcomes.filter((outcome) => outcome === 'renamed')).toHaveLength(1)
      for (const did of accounts) expect(await owned(did)).toHaveLength(1)
    })

    test('two names to each other concurrently does not deadlock', async () => {
      await claim('a.example', alice)
      await claim('b.example', bob)
      const outcomes = await Promise.all([
        rename('a.example', 'b.example', alice),
        rename('b.example', 'a.example', bob),
      ])
      expect(outcomes).toEqual(['taken', 'taken'])
    })
  })

  describe('mapping', () => {
    const map = (domain: string, site: string | null, did: Did = alice) =>
      mapSubdomain(db(), { did, domain }, site === null ? null : nameOf(site), 5)

    test('leads to a site, or to none', async () => {
      await claim('a.example')
      expect(await map('a.example', 'blog')).toBe(true)
      expect((await findSubdomain(db(), 'a.example'))?.site).toBe(nameOf('blog'))
      expect(await map('a.example', null)).toBe(true)
      expect((await findSubdomain(db(), 'a.example'))?.site).toBeNull()
      expect(await told()).toEqual(['a.example', 'a.example', 'a.example'])
    })

    test('another account’s name, or an unclaimed one, is not found', async () => {
      await claim('a.example')
      expect(await map('a.example', 'blog', bob)).toBe(false)
      expect(await map('b.example', 'blog')).toBe(false)
      expect((await findSubdomain(db(), 'a.example'))?.site).toBeNull()
      expect(await told()).toHaveLength(1)
    })
  })

  describe('releasing', () => {
    test('frees the name after its time', async () => {
      await claim('a.example')
      expect(await releaseSubdomain(db(), { did: alice, domain: 'a.example' }, 2)).toBe(true)
      expect(await claim('a.example', bob, 2 + keptSubdomainMs)).toEqual({ claimed: true })
      expect(await told()).toEqual(['a.example', 'a.example', 'a.example'])
    })

    test('another account’s name, or an unclaimed one, is not found', async () => {
      await claim('a.example')
      expect(await releaseSubdomain(db(), { did: bob, domain: 'a.example' }, 2)).toBe(false)
      expect(await releaseSubdomain(db(), { did: alice, domain: 'b.example' }, 2)).toBe(false)
      expect(await owned()).toEqual(['a.example'])
      expect(await told()).toHaveLength(1)
    })
  })

  test('an account’s names are listed oldest first', async () => {
    await claim('z.example', alice, 1)
    await claim('a.example', alice, 2)
    await claim('b.example', bob, 1)
    expect(await owned()).toEqual(['z.example', 'a.example'])
  })
})
