import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Identities } from '#atproto/identity/identity.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { checkAccount } from '#ingest/check-account.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { eventually } from '../support/eventually.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const statusNow = async () => (await findAccount(place.context.db, alice))?.status

function answerStatus(active: boolean): void {
  place.pds.lies.status = () =>
    Response.json({ did: alice, active, ...(!active && { status: 'takendown' }) })
}

/** Whose handle is at a host that never answers. */
function identitiesWithSlowHandle(): Identities {
  place.pds.lies.document = (honest) => ({ ...honest, alsoKnownAs: ['at://slow.example'] })
  const { fetch } = place.context
  return new Identities({
    plcUrl: place.pds.url,
    allowHttp: true,
    fetch: async (input, init) => {
      if (!String(input).includes('/.well-known/')) return await fetch(input, init)
      return await orAborted(new Promise<Response>(() => undefined), init?.signal ?? undefined)
    },
  })
}

test.each([
  ['is taken down is hidden', 'takendown'],
  ['is back is shown', 'active'],
] as const)(
  'an account that %s, though the host of its handle does not answer',
  async (_, status) => {
    const { context } = place
    await setAccountStatus(context.db, alice, status === 'active' ? 'takendown' : 'active', 2)
    answerStatus(status === 'active')
    const checking = checkAccount(alice, { ...context, identities: identitiesWithSlowHandle() })
    const ended = checking.catch(() => undefined)
    await eventually(async () => expect(await statusNow()).toBe(status), 5_000)
    place.stop.abort()
    await ended
  },
)

test.each([
  ['is taken down', 'takendown'],
  ['is active again', 'active'],
] as const)(
  'an account that %s stays so when an answer from before comes late',
  async (_, status) => {
    const { context } = place
    const held = holdFirst('getRepoStatus')
    answerStatus(status !== 'active')
    const earlier = checkAccount(alice, { ...context, fetch: held.fetch })
    await held.isAnswered

    answerStatus(status === 'active')
    await checkAccount(alice, context)
    expect(await statusNow()).toBe(status)
    held.release()
    await earlier
    expect(await statusNow()).toBe(status)
  },
)

/** Of such requests the first one's answer is held until it is released. */
function holdFirst(method: string): {
  fetch: SafeFetch
  isAnswered: Promise<void>
  release: () => void
} {
  const { fetch } = place.context
  const answered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let isFirst = true
  return {
    isAnswered: answered.promise,
    release: () => released.resolve(),
    fetch: async (input, init) => {
      const isHeld = isFirst && String(input).includes(method)
      if (isHeld) isFirst = false
      const response = await fetch(input, init)
      if (isHeld) answered.resolve()
      if (isHeld) await released.promise
      return response
    },
  }
}
