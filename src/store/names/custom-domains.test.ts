import { describe, expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { readChanges } from '#store/database/changes.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeAccountRows } from '#store/lifecycle/remove-account.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { changeCustomDomain, deleteCustomDomain, mapCustomDomain } from './change-custom-domain.ts'
import { confirmCustomDomain } from './confirm-custom-domain.ts'
import {
  type AddOutcome,
  type AddRefusal,
  addCustomDomain,
  type CustomDomain,
  findCustomDomain,
  findRegisteredDomain,
  listCustomDomains,
  takeDueCustomDomains,
} from './custom-domains.ts'
import { setPrimaryDomain } from './primary-domain.ts'

const domain = 'example.com'

onEachStore('store/names/custom-domains', (db, dialect) => {
  let ids = 0
  const tryAdd = (name: string, did: Did = alice, now = 1) => {
    ids += 1
    const key = { did, id: `id-${String(ids).padStart(4, '0')}`, domain: name }
    return addCustomDomain(db(), key, { pendingMax: 3, domainsMax: 5, now })
  }
  const add = async (name = domain, did: Did = alice, now = 1): Promise<CustomDomain> => {
    const outcome = await tryAdd(name, did, now)
    if (!outcome.added) throw new Error(outcome.reason)
    return outcome.domain
  }
  const confirm = (
    key: CustomDomain,
    values: readonly string[] = [key.did],
    { lookedUpAt = 10, now = 11 } = {},
  ) =>
    confirmCustomDomain(
      db(),
      key,
      { values, lookedUpAt },
      {
        change: { checkedAt: now, nextCheckAt: now + 100 },
        lossWarning: (holder) => `${holder.did} lost it`,
        now,
      },
    )
  const find = (key: CustomDomain) => findCustomDomain(db(), key)
  const told = async () =>
    (await readChanges(db(), 0)).map((change) => change.kind === 'host' && change.host)
  const refused = (reason: AddRefusal): AddOutcome => ({ added: false, reason })

  test('changes of domains during account deletions do not fail', async () => {
    const change = (key: CustomDomain) => changeCustomDomain(db(), key, () => ({ misses: 1 }), 12)
    const goes = (did: Did) =>
      inTransaction(db(), (transaction) => removeAccountRows(transaction, did, 12))
    // SQLite does one after the other.
    const rounds = dialect === 'sqlite' ? 5 : 30
    for (let round = 0; round < rounds; round++) {
      const [held, waiting] = [await add(domain, alice), await add(domain, bob)]
      await confirm(held)
      await mapCustomDomain(db(), held, nameOf('blog'), 12)
      expect(await setPrimaryDomain(db(), siteOf('blog'), domain, 12)).toBe('set')
      await Promise.all([
        ...[confirm(waiting, [bob], { lookedUpAt: 20 }), goes(alice), goes(bob)],
        ...[change(held), change(waiting), mapCustomDomain(db(), held, null, 12)],
      ])
      expect(await findRegisteredDomain(db(), domain)).toBeNull()
    }
  })

  describe('adding', () => {
    test('a domain waits for its proof, without a change', async () => {
      const added = await add(domain, alice, 7)
      expect(added).toEqual({
        id: added.id,
        did: alice,
        domain,
        verified: false,
        site: null,
        isPrimary: false,
        confirmedAt: null,
        checkedAt: null,
        nextCheckAt: 7,
        misses: 0,
        missingSince: null,
        ownershipWarning: null,
        pointingWarning: null,
        createdAt: 7,
        updatedAt: 7,
      })
      expect(await find(added)).toEqual(added)
      expect(await told()).toEqual([])
    })

    test('the account’s own domain returns it unchanged', async () => {
      const added = await add()
      await confirm(added)
      const again = await add(domain, alice, 9)
      expect([again.id, again.verified]).toEqual([added.id, true])
    })

    test('a domain that waits for another account succeeds', async () => {
      const [first, second] = [await add(), await add(domain, bob)]
      expect(first.id).not.toBe(second.id)
      expect((await find(second))?.did).toBe(bob)
    })

    test('a domain that another account has verified fails', async () => {
      await confirm(await add())
      expect(await tryAdd(domain, bob)).toEqual(refused('verified-elsewhere'))
    })

    test('stops at the limits of pending and of all domains', async () => {
      for (const name of ['a', 'b']) await confirm(await add(`${name}.com`))
      for (const name of ['c', 'd', 'e']) await add(`${name}.com`)
      expect(await tryAdd('f.com')).toEqual(refused('limit'))
      expect(await tryAdd('f.com', bob)).toMatchObject({ added: true })
      for (const name of ['g', 'h']) await add(`${name}.com`, bob)
      expect(await tryAdd('i.com', bob)).toEqual(refused('pending-limit'))
      expect(await tryAdd('g.com', bob)).toMatchObject({ added: true })
    })

    test('the same domain fifty times concurrently makes one row', async () => {
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => tryAdd(domain)))
      expect(new Set(outcomes.map((each) => each.added && each.domain.id)).size).toBe(1)
    })
  })

  describe('finding', () => {
    test('an id is valid only together with its account', async () => {
      const { id } = await add()
      const key = { did: bob, id }
      expect(await findCustomDomain(db(), key)).toBeNull()
      expect(await mapCustomDomain(db(), key, nameOf('blog'), 2)).toBe(false)
      expect(await changeCustomDomain(db(), key, () => ({ misses: 9 }), 2)).toBeNull()
      expect(await deleteCustomDomain(db(), key, 2)).toBe(false)
      expect(await listCustomDomains(db(), bob)).toEqual([])
      expect(await told()).toEqual([])
      expect((await listCustomDomains(db(), alice))[0]).toMatchObject({ id, site: null, misses: 0 })
    })

    test('the oldest pending domain counts until one is verified', async () => {
      const [first, second] = [await add(domain, alice, 1), await add(domain, bob, 2)]
      expect((await findRegisteredDomain(db(), domain))?.id).toBe(first.id)
      await confirm(second)
      expect((await findRegisteredDomain(db(), domain))?.id).toBe(second.id)
      expect(await findRegisteredDomain(db(), 'other.com')).toBeNull()
    })
  })

  describe('confirming', () => {
    test('verifies the domain, together with the other changes', async () => {
      const added = await add()
      await changeCustomDomain(db(), added, () => ({ misses: 2, missingSince: 3 }), 4)
      expect(await confirm(added)).toBe('confirmed')
      expect(await find(added)).toMatchObject({
        verified: true,
        confirmedAt: 10,
        checkedAt: 11,
        nextCheckAt: 111,
        misses: 0,
        missingSince: null,
        updatedAt: 11,
      })
      expect(await told()).toEqual([domain])
    })

    test('again appends no change', async () => {
      const added = await add()
      await confirm(added)
      expect(await confirm(added, [alice], { lookedUpAt: 20, now: 21 })).toBe('confirmed')
      expect(await find(added)).toMatchObject({ confirmedAt: 20, checkedAt: 21 })
      expect(await told()).toEqual([domain])
    })

    const takeovers: [string, string[], number, 'confirmed' | 'held-by-another'][] = [
      ['both are named', [alice, bob], 20, 'held-by-another'],
      ['only the new one is', [bob], 20, 'confirmed'],
      ['only the new one is, as was seen at the same time', [bob], 10, 'held-by-another'],
      ['only the new one is, as was seen before', [bob], 9, 'held-by-another'],
    ]
    for (const [what, values, lookedUpAt, outcome] of takeovers) {
      test(`another account’s domain, when ${what}: ${outcome}`, async () => {
        const [held, wanted] = [await add(), await add(domain, bob)]
        await confirm(held)
        expect(await confirm(wanted, values, { lookedUpAt, now: 30 })).toBe(outcome)
        const isTaken = outcome === 'confirmed'
        expect([(await find(held))?.verified, (await find(wanted))?.verified]).toEqual([
          !isTaken,
          isTaken,
        ])
        expect((await find(held))?.ownershipWarning).toBe(isTaken ? `${alice} lost it` : null)
        expect(await told()).toHaveLength(isTaken ? 2 : 1)
      })
    }

    test('a domain that was deleted meanwhile returns null', async () => {
      const added = await add()
      await deleteCustomDomain(db(), added, 2)
      expect(await confirm(added)).toBeNull()
    })

    test('by twenty concurrent accounts with proofs verifies one', async () => {
      const accounts = Array.from({ length: 20 }, (_, n) => accountOf(n))
      const added = await Promise.all(accounts.map((did) => add(domain, did)))
      const outcomes = await Promise.all(added.map((each) => confirm(each, accounts)))
      expect(outcomes.filter((each) => each === 'confirmed')).toHaveLength(1)
      expect(outcomes.filter((each) => each === 'held-by-another')).toHaveLength(19)
      const now = await Promise.all(added.map(find))
      expect(now.filter((each) => each?.verified)).toHaveLength(1)
      expect(await told()).toEqual([domain])
    })

    test('by two concurrent accounts that each saw only its own proof verifies one', async () => {
      const added = [await add(), await add(domain, bob)]
      await Promise.all(added.map((each, n) => confirm(each, [each.did], { lookedUpAt: 10 + n })))
      const verified = (await Promise.all(added.map(find))).filter((each) => each?.verified)
      // The last one to ask saw the last state.
      expect(verified.map((each) => each?.did)).toEqual([bob])
    })
  })

  describe('changing', () => {
    test('mapping appends a change', async () => {
      const added = await add()
      expect(await mapCustomDomain(db(), added, nameOf('blog'), 2)).toBe(true)
      expect((await find(added))?.site).toBe(nameOf('blog'))
      expect(await mapCustomDomain(db(), added, null, 3)).toBe(true)
      expect((await find(added))?.site).toBeNull()
      expect(await told()).toEqual([domain, domain])
    })

    test('a change that visitors do not see is not appended', async () => {
      const added = await add()
      const change = { checkedAt: 5, misses: 1, ownershipWarning: 'look' }
      expect(await changeCustomDomain(db(), added, () => change, 6)).toEqual({
        ...added,
        checkedAt: 5,
        misses: 1,
        ownershipWarning: 'look',
        updatedAt: 6,
      })
      expect(await told()).toEqual([])
    })

    test('losing a domain appends a change', async () => {
      const added = await add()
      await confirm(added)
      await changeCustomDomain(db(), added, () => ({ verified: false }), 20)
      expect((await find(added))?.verified).toBe(false)
      expect(await told()).toEqual([domain, domain])
    })

    test('concurrent changes all count', async () => {
      const added = await add()
      const more = ({ misses }: CustomDomain) => ({ misses: misses + 1 })
      await Promise.all(Array.from({ length: 20 }, () => changeCustomDomain(db(), added, more, 2)))
      expect((await find(added))?.misses).toBe(20)
    })

    test('deleting appends a change, once', async () => {
      const added = await add()
      expect(await deleteCustomDomain(db(), added, 2)).toBe(true)
      expect(await deleteCustomDomain(db(), added, 3)).toBe(false)
      expect(await find(added)).toBeNull()
      expect(await told()).toEqual([domain])
    })
  })

  describe('due checks', () => {
    const take = async (now: number, limit = 10) => {
      const due = await takeDueCustomDomains(db(), { now, leaseMs: 50, limit })
      return due.map((each) => each.domain).sort()
    }

    test('are of verified domains, longest overdue first, each for one caller', async () => {
      for (const [n, name] of ['a.com', 'b.com', 'c.com'].entries()) {
        await confirm(await add(name), [alice], { now: 10 + n })
      }
      await add('pending.com')
      expect(await take(109)).toEqual([])
      expect(await take(110)).toEqual(['a.com'])
      expect(await take(112, 1)).toEqual(['b.com'])
      expect(await take(112)).toEqual(['c.com'])
      expect(await take(159)).toEqual([])
      expect(await take(160)).toEqual(['a.com'])
    })

    test('go to one of several concurrent callers each', async () => {
      for (let n = 0; n < 5; n += 1) await confirm(await add(`${n}.com`))
      const taken = await Promise.all(Array.from({ length: 5 }, () => take(999)))
      expect(taken.flat().sort()).toEqual(['0.com', '1.com', '2.com', '3.com', '4.com'])
    })
  })
})
