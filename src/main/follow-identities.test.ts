import { expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { type ChangedIdentities, followIdentities, identityForgetter } from './follow-identities.ts'

test('the accounts of changed identities are forgotten, and all when changes were missed', () => {
  const changed: ChangedIdentities[] = []
  const follower = followIdentities((each) => changed.push(each))
  follower.startAfresh()
  follower.follow([{ kind: 'site', label: 's--a', seq: 1, createdAt: 1 }])
  follower.follow([{ kind: 'identity', didHash: didHash(alice), seq: 2, createdAt: 1 }])
  expect(changed).toEqual(['all', [didHash(alice)]])

  const forgotten: (Did | 'all')[] = []
  const identities = {
    forgetAll: () => void forgotten.push('all'),
    forgetWhere: (isMeant: (did: Did) => boolean) =>
      void forgotten.push(...[alice, bob].filter(isMeant)),
  }
  const forget = identityForgetter(identities)
  for (const each of [...changed, [didHash(bob)]]) forget(each)
  expect(forgotten).toEqual(['all', alice, bob])
})
