import { beforeEach, describe, expect, test } from 'bun:test'
import { keptSubdomainMs, keptSubdomainsMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { forgetDeletion } from '#store/accounts/deleted-here.ts'
import { beginAccountDeletion } from '#store/lifecycle/account-deletions.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob } from '#tests/support/database/sample-rows.ts'
import { dropKeptSubdomains, isKeptForAnother, listKeptSubdomains } from './kept-subdomains.ts'
import {
  type ClaimOutcome,
  claimSubdomain,
  listSubdomains,
  releaseSubdomain,
  renameSubdomain,
} from './subdomains.ts'

const domain = 'a.example'
const given: ClaimOutcome = { claimed: true }
const taken: ClaimOutcome = { claimed: false, reason: 'taken' }

onEachStore('store/names/kept-subdomains', (db) => {
  const claim = (name: string, did: Did = alice, now = 1) =>
    claimSubdomain(db(), { did, domain: name }, { subdomainsMax: 3, now })
  const release = (name: string, did: Did = alice, now = 1) =>
    releaseSubdomain(db(), { did, domain: name }, now)

  test('only its last owner can claim a released name for 30 days', async () => {
    await claim(domain)
    await release(domain, alice, 10)
    const over = 10 + keptSubdomainMs
    for (const now of [10, over - 1]) expect(await claim(domain, bob, now)).toEqual(taken)
    expect(await claim(domain, bob, over)).toEqual(given)
    expect(await isKeptForAnother(db(), domain, alice, over)).toBe(false)
  })

  test('its last owner gets it back immediately; a next owner’s release keeps it for that one', async () => {
    await claim(domain)
    await release(domain)
    expect(await claim(domain, alice, 2)).toEqual(given)
    expect(await listKeptSubdomains(db(), alice, 2)).toEqual([])
    await release(domain, alice, 3)
    const later = 3 + keptSubdomainMs
    await claim(domain, bob, later)
    await release(domain, bob, later)
    expect(await claim(domain, alice, later)).toEqual(taken)
    expect(await claim(domain, bob, later)).toEqual(given)
  })

  test('a renamed one is kept too, also from renaming another name to it', async () => {
    await claim(domain)
    await claim('b.example', bob)
    await renameSubdomain(db(), { did: alice, domain }, 'z.example', 2)
    expect(await claim(domain, bob, 3)).toEqual(taken)
    const wanted = await renameSubdomain(db(), { did: bob, domain: 'b.example' }, domain, 3)
    expect(wanted).toBe('taken')
    expect((await listSubdomains(db(), bob)).map((each) => each.domain)).toEqual(['b.example'])
    const back = await renameSubdomain(db(), { did: alice, domain: 'z.example' }, domain, 4)
    expect(back).toBe('renamed')
  })

  test('names of a deleted account are kept in case it signs in again', async () => {
    await claim(domain)
    await beginAccountDeletion(db(), alice, 2)
    expect(await claim(domain, bob, 3)).toEqual(taken)
    await forgetDeletion(db(), alice)
    expect(await claim(domain, alice, 4)).toEqual(given)
  })

  describe('an account with the most kept names', () => {
    const late = keptSubdomainMs
    const tooMany: ClaimOutcome = { claimed: false, reason: 'kept-limit' }
    const rename = (name: string, newName: string) =>
      renameSubdomain(db(), { did: alice, domain: name }, newName, 99)
    beforeEach(async () => {
      for (let n = 0; n < keptSubdomainsMax; n++) {
        await claim(`name-${n}.example`)
        await claim('last.example')
        await release(`name-${n}.example`, alice, 10 + n)
      }
    })

    test('claims no other name: each is kept for its 30 days, even if more are released', async () => {
      expect(await claim('more.example', alice, 99)).toEqual(tooMany)
      expect(await rename('last.example', 'more.example')).toBe('kept-limit')
      await release('last.example', alice, 99)
      expect(await listKeptSubdomains(db(), alice, 99)).toHaveLength(keptSubdomainsMax + 1)
      expect(await claim('name-0.example', bob, 9 + late)).toEqual(taken)
      expect(await claim('more.example', bob, 99)).toEqual(given)
    })

    test('gets back its own names', async () => {
      expect(await rename('last.example', 'name-1.example')).toBe('renamed')
      expect(await claim('name-0.example', alice, 99)).toEqual(given)
    })

    test('claims others again when the first is no longer kept', async () => {
      expect(await claim('more.example', alice, 9 + late)).toEqual(tooMany)
      expect(await claim('more.example', alice, 10 + late)).toEqual(given)
    })
  })

  test('no other account gets a name during its release', async () => {
    await claim(domain)
    const others = Array.from({ length: 20 }, (_, n) => accountOf(n))
    const outcomes = await Promise.all([
      ...others.slice(10).map((did) => claim(domain, did, 2)),
      release(domain, alice, 2),
      ...others.slice(0, 10).map((did) => claim(domain, did, 2)),
    ])
    expect(outcomes.filter((outcome) => typeof outcome === 'object' && outcome.claimed)).toEqual([])
    expect(await claim(domain, alice, 3)).toEqual(given)
  })

  test('only names that are no longer kept are dropped', async () => {
    await claim('old.example')
    await claim('new.example')
    await release('old.example', alice, 10)
    await release('new.example', alice, 11)
    await dropKeptSubdomains(db(), 10 + keptSubdomainMs)
    const rows = await db().selectFrom('keptSubdomains').select(['domain', 'didHash']).execute()
    expect<unknown>(rows).toEqual([
      { domain: 'new.example', didHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
  })
})
