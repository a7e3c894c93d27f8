import { afterEach, beforeEach, expect, test } from 'bun:test'
import { P256PrivateKeyExportable } from '@atcute/crypto'
import { Identities } from '#atproto/identity/identity.ts'
import { ProofError } from '#atproto/repo/verified-record.ts'
import { checkAccount } from '#ingest/check-account.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { findSite } from '#store/sites/sites.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { carOf, proofOf } from '#tests/support/servers/fake-pds.ts'

// Whoever runs the server that an account has left has its old key, and answers when they like.

const blog = siteOf('blog')

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
  await place.write('blog', { 'index.html': 'of the owner' })
  expect(await ingestSite(blog, place.context)).toBe('went-live')
})
afterEach(() => place[Symbol.asyncDispose]())

const live = async () => (await findSite(place.context.db, blog))?.live?.recordCid

/** From now on the account's document names another key; what its server signs with is returned. */
async function changeKey(): Promise<P256PrivateKeyExportable> {
  const key = await P256PrivateKeyExportable.createKeypair()
  const publicKeyMultibase = await key.exportPublicKey('multikey')
  place.pds.lies.document = (honest) => ({
    ...honest,
    verificationMethod: [
      { id: `${alice}#atproto`, type: 'Multikey', controller: alice, publicKeyMultibase },
    ],
  })
  return key
}

/** The old server's answer is on its way until it is released. */
function holdProof(): { isAsked: Promise<void>; release: () => void } {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  place.pds.lies.proof = async (honest) => {
    asked.resolve()
    await released.promise
    return await carOf(await proofOf(honest))
  }
  return { isAsked: asked.promise, release: () => released.resolve() }
}

test.each([
  ['a version', () => place.write('blog', { 'index.html': 'forged' })],
  ['a removal', () => place.pds.deleteRecord('place.sitehost.fs/blog')],
])('%s that the old key signed, answered after the change was announced', async (_, forge) => {
  const before = await live()
  await forge()
  const { isAsked, release } = holdProof()
  const ingesting = ingestSite(blog, place.context).catch((error: unknown) => error)
  await isAsked
  await changeKey()
  place.context.identities.forget(alice)
  release()
  expect(await ingesting).toBeInstanceOf(ProofError)
  expect(await live()).toBe(before)
})

/** Another process, which has not heard yet, or does not listen. */
const elsewhere = () => ({
  ...place.context,
  identities: new Identities({
    fetch: place.context.fetch,
    plcUrl: place.pds.url,
    allowHttp: true,
  }),
})

test('nor does it count in a process that knows the old key, once another has checked the account', async () => {
  const other = elsewhere()
  await other.identities.resolve(alice)
  const key = await changeKey()
  await checkAccount(alice, place.context)
  const before = await live()
  await place.write('blog', { 'index.html': 'forged' })
  await expect(ingestSite(blog, other)).rejects.toBeInstanceOf(ProofError)
  expect(await live()).toBe(before)

  place.pds.lies.proof = async (honest) => await carOf(await proofOf({ ...honest, key }))
  expect(await ingestSite(blog, other)).toBe('went-live')
})

test('the new key counts at once, though no check has found it yet', async () => {
  await checkAccount(alice, place.context)
  const key = await changeKey()
  await place.write('blog', { 'index.html': 'of the new key' })
  place.pds.lies.proof = async (honest) => await carOf(await proofOf({ ...honest, key }))
  expect(await ingestSite(blog, elsewhere())).toBe('went-live')
})
