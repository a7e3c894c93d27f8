import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Identities } from '#atproto/identity.ts'
import { orAborted } from '#atproto/or-aborted.ts'
import { findAccount, setAccountStatus, upsertAccount } from '#store/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/ingest-place.ts'
import { alice } from '#tests/support/sample-rows.ts'
import { checkAccount } from './check-account.ts'

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
