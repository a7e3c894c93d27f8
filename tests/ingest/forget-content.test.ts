import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  finishForgets,
  forgetContent,
  forgetMsMax,
  unfinishedMsMax,
} from '#ingest/forget-content.ts'
import { blobKeyText } from '#site/record/blob-key.ts'
import { siteLabel } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberBlob } from '#store/blobs/blobs.ts'
import { receivedAmong, rememberReceived } from '#store/blobs/received-blobs.ts'
import { findUploadedBlobs, rememberUploadedBlobs } from '#store/blobs/uploaded-blobs.ts'
import { readChanges } from '#store/database/changes.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { beginForget, unfinishedForgetsMax } from '#store/sites/unfinished-forgets.ts'
import {
  recordVersionRecord,
  removeVersionRecord,
} from '#store/sites/version-records/record-version-record.ts'
import { findVersionByLabel } from '#store/sites/version-records/version-addresses.ts'
import { findVersionRecord } from '#store/sites/version-records/version-records.ts'
import { listVersions } from '#store/sites/versions.ts'
import { subjectOf } from '#tests/support/database/change-subjects.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { listOf } from '../support/blob-store-contract.ts'

const blog = siteOf('blog')
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const namesOf = (...contents: string[]) => JSON.stringify(contents.map(sha256))

onEachStore('what is forgotten with a version', (db) => {
  let place: IngestPlace
  beforeEach(async () => {
    place = await openIngestPlace(db())
    await upsertAccount(db(), { did: alice }, 1)
    for (const content of ['old', 'shared', 'new']) await store(content)
    await goLive(1, 'old', 'shared')
    await goLive(2, 'shared', 'new')
    await keep(1, 'old', 'shared')
    await keep(2, 'shared', 'new')
  })
  afterEach(() => place[Symbol.asyncDispose]())

  async function store(content: string): Promise<void> {
    const { hash, bytes } = await place.context.blobs.put(Buffer.from(content))
    const sizes = { storedBytes: bytes, decodedBytes: bytes }
    const form = { coding: 'identity', base64: false } as const
    await rememberBlob(db(), { cid: content, hash, decodedHash: hash, ...form, ...sizes }, 1)
  }
  const goLive = (n: number, ...contents: string[]) =>
    recordVersion(
      db(),
      newVersion({
        label: siteLabel(blog),
        recordCid: `manifest ${n}`,
        rev: String(n),
        snapshot: namesOf(...contents),
      }),
      n,
    )
  const keep = (n: number, ...contents: string[]) =>
    recordVersionRecord(db(), newVersionRecord(n, { snapshot: namesOf(...contents) }), n)
  const expectStored = async (...contents: string[]) =>
    expect(await listOf(place.context.blobs)).toEqual(contents.map(sha256).sort())
  const forget = (key = versionKeyOf(1)) => forgetContent(blog, { key, rev: '9' }, place.context)

  test('is what only it names, with the state of the site that it describes', async () => {
    expect(await forget()).toEqual({ blobs: 1, bytes: 3 })
    await expectStored('shared', 'new')
    expect(await findVersionRecord(db(), { did: alice, key: versionKeyOf(1) })).toBeNull()
    expect(await findVersionByLabel(db(), 'v--1', 10)).toMatchObject({ isGone: true })
    expect((await listVersions(db(), blog)).map(({ state }) => state)).toEqual(['live'])
  })

  test('is told to the edge: the address, the site, and the bytes', async () => {
    const before = (await readChanges(db(), 0)).length
    await forget()
    const changes = (await readChanges(db(), 0)).slice(before)
    const subjects = [...new Set(changes.map(subjectOf))]
    expect(subjects).toEqual(['v--1', siteLabel(blog), sha256('old')])
  })

  test('is also that its account has sent it', async () => {
    const keyOf = (cid: string) => ({ cid, coding: 'identity', base64: false }) as const
    await rememberReceived(db(), alice, ['old', 'new'].map(keyOf), 1)
    const blob = { $type: 'blob', ref: { $link: 'old' }, mimeType: 'a/b', size: 3 } as const
    const uploaded = { ...keyOf('old'), decodedHash: sha256('old'), blob }
    await rememberUploadedBlobs(db(), alice, [uploaded], 1)
    await forget()
    expect(await receivedAmong(db(), alice, ['old', 'new'].map(keyOf))).toEqual(
      new Set([blobKeyText(keyOf('new'))]),
    )
    expect(await findUploadedBlobs(db(), alice, [sha256('old')])).toEqual([])
  })

  test('is nothing that another version has', async () => {
    await keep(3, 'old')
    expect(await forget()).toEqual({ blobs: 0, bytes: 0 })
    await expectStored('old', 'shared', 'new')
  })

  test('of a state that no version record describes is the same', async () => {
    await goLive(3, 'shared')
    const [, state] = await listVersions(db(), blog)
    await forget(versionKeyOf(2))
    await expectStored('old', 'shared')
    expect((await listVersions(db(), blog)).map(({ id }) => id)).not.toContain(state?.id)
    const [, oldest] = await listVersions(db(), blog)
    const stateId = oldest?.id ?? ''
    await forget(versionKeyOf(1))
    await goLive(4, 'shared')
    const [, replaced] = await listVersions(db(), blog)
    expect(stateId).not.toBe(replaced?.id)
    await forgetContent(blog, { stateId: replaced?.id ?? '' }, place.context)
    expect(await listVersions(db(), blog)).toHaveLength(1)
    await expectStored('shared')
  })

  describe('when its rows went first', () => {
    const key = versionKeyOf(1)
    const unfinished = async () =>
      (await db().selectFrom('unfinishedForgets').selectAll().execute()).length
    beforeEach(async () => {
      await beginForget(db(), blog, { key }, place.now)
    })
    const ingestIsFaster = () => removeVersionRecord(db(), { did: alice, key }, '8', 1)

    test('is the same', async () => {
      await ingestIsFaster()
      expect(await forget()).toEqual({ blobs: 1, bytes: 3 })
      await expectStored('shared', 'new')
      expect((await listVersions(db(), blog)).map(({ state }) => state)).toEqual(['live'])
      expect(await unfinished()).toBe(0)
    })

    test('is removed later, if nobody asks again', async () => {
      await ingestIsFaster()
      place.now += forgetMsMax
      await finishForgets(place.context)
      await expectStored('old', 'shared', 'new')
      place.now += 1
      await finishForgets(place.context)
      await expectStored('shared', 'new')
      expect((await listVersions(db(), blog)).map(({ state }) => state)).toEqual(['live'])
      expect(await unfinished()).toBe(0)
    })

    test('is removed after a purge that broke off', async () => {
      const broken = {
        ...place.context,
        blobs: { delete: () => Promise.reject(new Error('disk')) },
      }
      await expect(forgetContent(blog, { key, rev: '9' }, broken)).rejects.toThrow('disk')
      place.now += forgetMsMax + 1
      await finishForgets(place.context)
      await expectStored('shared', 'new')
      expect(await unfinished()).toBe(0)
    })

    test('is told to the edge after a crash between the removal and the message', async () => {
      let isRemoved = false
      const killed = {
        ...place.context,
        blobs: {
          delete: async (hash: string) => {
            await place.context.blobs.delete(hash)
            isRemoved = true
          },
        },
        now: () => {
          if (isRemoved) throw new Error('killed')
          return place.now
        },
      }
      await expect(forgetContent(blog, { key, rev: '9' }, killed)).rejects.toThrow('killed')
      await expectStored('shared', 'new')
      place.now += forgetMsMax + 1
      await finishForgets(place.context)
      expect((await readChanges(db(), 0)).map(subjectOf)).toContain(sha256('old'))
    })

    test('is nothing while its record is there, and that ends after a day', async () => {
      place.now += unfinishedMsMax
      await finishForgets(place.context)
      expect(await unfinished()).toBe(1)
      place.now += 1
      await finishForgets(place.context)
      await expectStored('old', 'shared', 'new')
      expect((await listVersions(db(), blog)).map(({ state }) => state)).toContain('replaced')
      expect(await unfinished()).toBe(0)
    })

    test('is remembered up to a limit for each account', async () => {
      for (let n = 2; n <= unfinishedForgetsMax + 1; n++) {
        await beginForget(db(), blog, { key: versionKeyOf(n) }, place.now + n)
      }
      expect(await unfinished()).toBe(unfinishedForgetsMax)
    })
  })

  test('is not what is live', async () => {
    const [live] = await listVersions(db(), blog)
    const content = await forgetContent(blog, { stateId: live?.id ?? '' }, place.context)
    expect(content).toEqual({ blobs: 0, bytes: 0 })
    expect((await listVersions(db(), blog))[0]?.state).toBe('live')
  })
})
