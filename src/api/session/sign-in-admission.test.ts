import { expect, test } from 'bun:test'
import { invitationHash } from '#admin/invitations.ts'
import type { Identity } from '#atproto/identity/identity.ts'
import { addAllowedAccount, removeAllowedAccount } from '#store/moderation/allowed-accounts.ts'
import { addInvitation, isOpenInvitation } from '#store/moderation/invitations.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { Admission } from './sign-in-admission.ts'

const code = 'an-invitation-of-the-test'
const codeHash = invitationHash(code)

onEachStore('api/session: admission', (db) => {
  test('a full list refuses a guest and leaves the invitation open', async () => {
    const admission = new Admission({
      db: db(),
      signInIdentities: { resolve: async () => ({}) as Identity, verifiedHandle: async () => null },
      now: () => 2,
      origin: 'https://sites.example',
      signIn: 'invited',
      allowedMax: 1,
    })
    await addAllowedAccount(db(), { account: bob, addedBy: 'ruth', at: 1 })
    await addInvitation(db(), { codeHash, createdBy: 'ruth', createdAt: 1, expiresAt: 9 })
    expect(await admission.enter(alice, code)).toBe(false)
    expect(await isOpenInvitation(db(), codeHash, 2)).toBe(true)

    await removeAllowedAccount(db(), bob)
    expect(await admission.enter(alice, code)).toBe(true)
    expect(await isOpenInvitation(db(), codeHash, 2)).toBe(false)
  })
})
