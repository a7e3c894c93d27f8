import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import * as Cid from '@atcute/cid'
import { P256PrivateKeyExportable } from '@atcute/crypto'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { type HostilePlace, startHostilePlace } from '#tests/support/hostile/hostile-place.ts'
import { fileIn, manifest } from '#tests/support/hostile/hostile-rows.ts'
import {
  carOf,
  encodeRecord,
  linkOf,
  type Proof,
  type ProofOf,
  proofOf,
} from '#tests/support/servers/fake-pds.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import { eventually } from '../support/eventually.ts'

// What nobody but the owner can have: a proof for another record, an event that nothing stands behind. A
// running service is told so by a relay and by a Jetstream, and nothing changes.

const path = 'place.sitehost.fs/blog'
const subject = `at://${alice}/place.sitehost.subfs/part`

describe.each(['relay', 'jetstream'] as const)('by a %s:', (source) => {
  let place: HostilePlace
  beforeAll(async () => {
    place = await startHostilePlace({ source })
  }, 120_000)
  afterAll(() => place[Symbol.asyncDispose]())

  const show = (site = 'blog', at = '/') => visit(pageUrl(place.app, alice, site, at))
  const write = async (text: string): Promise<void> =>
    await place.repo.put(path, await recordOf(text))
  const recordOf = async (text: string): Promise<object> =>
    manifest('blog', [{ name: 'index.html', node: await fileIn(place.repo, text) }])

  let versions = 0
  let live: string
  /** As it was when only the version before this one was there. */
  let older: { readonly rev: string; readonly records: ProofOf['records'] }
  beforeEach(async () => {
    for (const lie of Object.keys(place.pds.lies)) delete place.pds.lies[lie as 'proof']
    const isLive = async (text: string): Promise<void> => {
      live = text
      await write(text)
      await eventually(async () => expect(await show()).toBe(text))
    }
    await isLive(`version ${++versions}`)
    place.pds.lies.proof = async (honest) => {
      older = { rev: honest.rev, records: new Map(honest.records) }
      return await carOf(await proofOf(honest))
    }
    place.tell.commit(alice, path)
    await place.settled()
    delete place.pds.lies.proof
    await isLive(`version ${++versions}`)
    await place.settled()
  })

  /** That the site is still what it was, and that its owner is told of nothing but the next attempt. */
  async function nothingChanged(): Promise<void> {
    await place.settled()
    expect(await show()).toBe(live)
    const problems = (await place.problems()).get('blog') ?? ['the site is gone']
    expect(problems.filter((problem) => !problem.includes(' We will try again at '))).toEqual([])
  }

  /** What is read does not depend on the source of the event. */
  const once: (what: string, tests: () => void) => void = source === 'relay' ? describe : () => {}

  once('a proof', () => {
    /** Answers the question for the manifest with a proof that was made otherwise. */
    const forge = (change: (honest: ProofOf) => Promise<Proof>): void => {
      place.pds.lies.proof = async (honest) =>
        await carOf(await (honest.path === path ? change(honest) : proofOf(honest)))
    }
    /** As if this were what the owner has written. */
    const withForged = async (honest: ProofOf, at = path): Promise<ProofOf> => ({
      ...honest,
      records: new Map([...honest.records, [at, encodeRecord(await recordOf('forged'))]]),
    })

    const forgeries: [string, (honest: ProofOf) => Promise<Proof>][] = [
      [
        'signed by another key',
        async (honest) => {
          const key = await P256PrivateKeyExportable.createKeypair()
          return await proofOf({ ...(await withForged(honest)), key })
        },
      ],
      ['of another account', async (honest) => await proofOf({ ...honest, did: bob })],
      [
        'of a record in another collection',
        async (honest) => {
          const other = 'place.sitehost.settings/other'
          return await proofOf({ ...(await withForged(honest, other)), path: other })
        },
      ],
      [
        'of another key',
        async (honest) => {
          const other = 'place.sitehost.fs/zz'
          return await proofOf({ ...(await withForged(honest, other)), path: other })
        },
      ],
      [
        'whose record was swapped',
        async (honest) => {
          const { root, blocks } = await proofOf(honest)
          const [cid, forged] = [await recordCid(honest), encodeRecord(await recordOf('forged'))]
          blocks.delete(cid)
          return { root, blocks: blocks.set((await linkOf(forged)).$link, forged) }
        },
      ],
      [
        'whose record has other bytes than its hash says',
        async (honest) => {
          const { root, blocks } = await proofOf(honest)
          const forged = encodeRecord(await recordOf('forged'))
          return { root, blocks: blocks.set(await recordCid(honest), forged) }
        },
      ],
      [
        'without its record',
        async (honest) => {
          const { root, blocks } = await proofOf(honest)
          blocks.delete(await recordCid(honest))
          return { root, blocks }
        },
      ],
      [
        'without its tree',
        async (honest) => {
          const { root, blocks } = await proofOf(honest)
          const kept = [root, await recordCid(honest)]
          return { root, blocks: new Map([...blocks].filter(([cid]) => kept.includes(cid))) }
        },
      ],
      [
        'of a revision to come',
        async (honest) => await proofOf({ ...honest, rev: 'bzzzzzzzzzzzz' }),
      ],
      [
        'whose root is the record',
        async (honest) => {
          const { blocks } = await proofOf(honest)
          return { root: await recordCid(honest), blocks }
        },
      ],
    ]
    test.each(forgeries)('%s', async (_, change) => {
      forge(change)
      await write('better')
      await nothingChanged()
      expect(await place.failures()).toEqual([expect.stringContaining('proof refused; ')])
      delete place.pds.lies.proof
      place.tell.commit(alice, path)
      await eventually(async () => expect(await show()).toBe('better'))
    })

    test('with blocks that it does not need is one, and what they say does not count', async () => {
      forge(async (honest) => {
        const { root, blocks } = await proofOf(honest)
        const forged = encodeRecord(await recordOf('forged'))
        return { root, blocks: blocks.set((await linkOf(forged)).$link, forged) }
      })
      await write('better')
      await eventually(async () => expect(await show()).toBe('better'))
    })

    test('of a past revision, with the record of then', async () => {
      forge((honest) => proofOf({ ...honest, ...older }))
      place.tell.commit(alice, path)
      await nothingChanged()
    })
    test('of a past revision, when there was no such record', async () => {
      forge((honest) => proofOf({ ...honest, rev: older.rev, records: new Map() }))
      place.tell.commit(alice, path)
      await nothingChanged()
    })
    test('of a part of the past, in a manifest of now', async () => {
      const partPath = 'place.sitehost.subfs/part'
      const partOf = async (text: string) => {
        const entries = [{ name: 'index.html', node: await fileIn(place.repo, text) }]
        const root = { type: 'directory', entries }
        return { $type: 'place.sitehost.subfs', root, createdAt: '2026-01-01T00:00:00.000Z' }
      }
      const past = new Map([[partPath, encodeRecord(await partOf('of the past'))]])
      await place.pds.putRecord(partPath, await partOf('of now'))
      place.pds.lies.proof = async (honest) =>
        await carOf(
          await proofOf(honest.path === partPath ? { ...honest, ...older, records: past } : honest),
        )
      await place.repo.put(
        path,
        manifest('blog', [{ name: 'x', node: { type: 'subfs', subject } }]),
      )
      await nothingChanged()
      expect(await place.failures()).toEqual([expect.stringContaining('changes while it is read')])
    })
  })

  once('a server that says', () => {
    const refusal = (error: string, status = 400) => Response.json({ error }, { status })

    test.each([
      ['that there is no such record', () => refusal('RecordNotFound')],
      ['that there is no such record, with 404', () => refusal('RecordNotFound', 404)],
      ['a page', () => new Response('<html>', { status: 200 })],
      ['nothing', () => new Response('')],
    ])('%s, without a proof', async (_, answer) => {
      place.pds.lies.proof = async ({ path: asked }) =>
        asked === path ? answer() : refusal('RecordNotFound')
      place.tell.commit(alice, path)
      await nothingChanged()
    })

    test('that it lists no records, when the account is looked at', async () => {
      place.pds.lies.records = () => Response.json({ records: [] })
      place.tell.identity(alice)
      await nothingChanged()
    })
    test('that it lists records that are not there', async () => {
      const uri = `at://${alice}/place.sitehost.fs/ghost`
      place.pds.lies.records = () => Response.json({ records: [{ uri, value: {} }] })
      place.tell.identity(alice)
      await nothingChanged()
      expect((await place.problems()).has('ghost')).toBe(false)
    })
  })

  describe('an event that nothing stands behind', () => {
    test('a site that is not there', async () => {
      place.tell.commit(alice, 'place.sitehost.fs/ghost')
      await nothingChanged()
      expect((await place.problems()).has('ghost')).toBe(false)
      expect(await show('ghost')).toBe(404)
    })
    test('a change of what did not change', async () => {
      for (let i = 0; i < 20; i++) place.tell.commit(alice, path)
      await nothingChanged()
    })
    test('of somebody who is not known here: nobody is asked', async () => {
      await place.settled()
      const before = place.pds.requests.length
      place.tell.commit(bob, path)
      place.tell.account(bob, { active: true })
      place.tell.identity(bob)
      place.tell.sync(bob)
      await nothingChanged()
      // What was asked is about what `settled` tells.
      const asked = place.pds.requests.slice(before)
      expect(asked.filter((request) => !request.includes('not-there'))).toEqual([])
    })
    test.each(['deleted', 'takendown', 'deactivated', 'suspended'])(
      'that the account is %s',
      async (status) => {
        place.tell.account(alice, { active: false, status })
        await nothingChanged()
      },
    )
    test('that the identity changed, and the directory says nothing of it', async () => {
      place.tell.identity(alice)
      await nothingChanged()
    })
    test('that the repository was written anew', async () => {
      place.tell.sync(alice)
      await nothingChanged()
    })
    test('and the directory cannot be reached, or tells of another account', async () => {
      const documents = [
        () => new Response('', { status: 503 }),
        (honest: object) => ({ ...honest, id: bob }),
        () => 'nonsense',
      ]
      for (const document of documents) {
        place.pds.lies.document = document
        place.tell.account(alice, { active: false, status: 'deleted' })
        await eventually(async () => {
          const rows = await workRows(place.db, 'account')
          expect(rows).toMatchObject([{ lastError: expect.any(String) }])
        })
        expect(await show()).toBe(live)
        delete place.pds.lies.document
        place.tell.identity(alice)
        await nothingChanged()
      }
    })
  })
})

async function recordCid({ records }: ProofOf): Promise<string> {
  const { $link } = await linkOf(records.get(path) ?? new Uint8Array())
  return Cid.toString(Cid.fromString($link))
}
