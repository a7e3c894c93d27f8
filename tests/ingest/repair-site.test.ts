import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ingestSite } from '#ingest/ingest-site.ts'
import { type Finding, type RepairReport, repairSite } from '#ingest/repair-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'

const blog = siteOf('blog')
const content = { 'index.html': '<h1>home</h1>', 'about.html': '<h1>about</h1>' }

let place: IngestPlace
let cid: string
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
  cid = await place.write('blog', content)
  await ingestSite(blog, place.context)
})
afterEach(() => place[Symbol.asyncDispose]())

const repair = () => repairSite(blog, place.context)
const inOrder: Omit<RepairReport, 'recordCid'> = {
  site: blog,
  status: 'active',
  outcome: 'already-live',
  files: 2,
  intactFiles: 2,
  findings: [],
}

/** After a repair a second one finds nothing. */
async function expectRepaired(...whats: string[]): Promise<void> {
  const { findings } = await repair()
  expect(findings).toEqual(whats.map((what): Finding => ({ what, isRepaired: true })))
  expect(await repair()).toEqual({ ...inOrder, recordCid: cid })
}

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const fileOf = (text: string) => {
  const hash = sha256(text)
  return join(place.blobsDir, hash.slice(0, 2), hash.slice(2))
}

test('a site that is in order is left alone', async () => {
  place.pds.requests.length = 0
  expect(await repair()).toEqual({ ...inOrder, recordCid: cid })
  expect(place.pds.requests.filter((request) => request.startsWith('getBlob'))).toEqual([])
})

describe('is repaired:', () => {
  test('a file that is gone', async () => {
    await rm(fileOf(content['index.html']))
    await expectRepaired('"index.html": its bytes are missing or damaged')
  })

  test('a file with one bit flipped', async () => {
    const file = await open(fileOf(content['about.html']), 'r+')
    await file.write(Uint8Array.of('<'.charCodeAt(0) ^ 1), 0, 1, 0)
    await file.close()
    await expectRepaired('"about.html": its bytes are missing or damaged')
  })

  test('a file that was cut off', async () => {
    const file = await open(fileOf(content['about.html']), 'r+')
    await file.truncate(3)
    await file.close()
    await expectRepaired('"about.html": its bytes are missing or damaged')
  })

  test('a row that leads to other bytes, and the snapshot that was made of it', async () => {
    const { db, blobs } = place.context
    const { hash } = await blobs.put(new TextEncoder().encode('<h1>evil</h1>'))
    const right = sha256(content['index.html'])
    await db.updateTable('blobs').set({ hash }).where('hash', '=', right).execute()
    const snapshot = (await findLiveSnapshot(db, blog))?.replaceAll(right, hash) ?? ''
    await db.updateTable('versions').set({ snapshot }).execute()
    await expectRepaired(
      '"index.html": its bytes are not those of the blob that the record names',
      'another version was live here',
    )
  })

  test('a snapshot that cannot be read', async () => {
    await place.context.db.updateTable('versions').set({ snapshot: '{' }).execute()
    await expectRepaired(
      'the snapshot of the live version cannot be read',
      'another version was live here',
    )
  })

  test('a version that was missed', async () => {
    cid = await place.write('blog', { ...content, 'index.html': '<h1>new</h1>' })
    await expectRepaired('another version was live here')
  })

  test('a site that was never here', async () => {
    await place.context.db.deleteFrom('sites').execute()
    await expectRepaired('it was not here')
  })
})

test('base64 is what its record names, however the bytes are stored', async () => {
  for (const length of [0, 1, 2, 3, 100_000]) {
    const bytes = new Uint8Array(length).map((_, i) => i * 7)
    const blob = place.pds.addBlob(Buffer.from(bytes).toString('base64'))
    const node = { type: 'file', blob, mimeType: 'image/png', base64: true }
    await place.pds.putRecord('place.sitehost.fs/blog', {
      $type: 'place.sitehost.fs',
      site: 'blog',
      root: { type: 'directory', entries: [{ name: 'a.png', node }] },
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    const limits = { fileBytesMax: 200_000, siteBytesMax: 200_000 }
    await ingestSite(blog, { ...place.context, limits })
    const report = await repairSite(blog, { ...place.context, limits })
    expect(report).toMatchObject({ files: 1, intactFiles: 1, findings: [] })
  }
})

test('a removed site is removed', async () => {
  place.pds.deleteRecord('place.sitehost.fs/blog')
  expect(await repair()).toMatchObject({
    outcome: 'removed',
    recordCid: null,
    files: 0,
    findings: [{ what: 'its owner has removed it', isRepaired: true }],
  })
})

describe('is reported, and not repaired:', () => {
  test('a version that is refused; the old one stays', async () => {
    await place.write('blog', { '..': 'x' })
    const { outcome, recordCid, findings } = await repair()
    expect({ outcome, recordCid }).toEqual({ outcome: 'refused', recordCid: cid })
    expect(findings).toEqual([{ what: expect.stringMatching(/^refused: /), isRepaired: false }])
  })

  test('an account that is not known: nothing of it is brought', async () => {
    await place.context.db.deleteFrom('sites').execute()
    await place.context.db.deleteFrom('accounts').execute()
    place.pds.requests.length = 0
    expect(await repair()).toMatchObject({
      outcome: 'not-known',
      recordCid: null,
      files: 0,
      findings: [{ what: expect.stringContaining('not known here'), isRepaired: false }],
    })
    expect(place.pds.requests.filter((request) => request.startsWith('getBlob'))).toEqual([])
  })

  test('an account that is not active', async () => {
    place.pds.lies.status = () => Response.json({ did: alice, active: false, status: 'takendown' })
    expect(await repair()).toMatchObject({
      status: 'takendown',
      outcome: null,
      intactFiles: 2,
      findings: [{ what: expect.stringContaining('takendown'), isRepaired: false }],
    })
  })

  test('damage while the source does not answer', async () => {
    await rm(fileOf(content['index.html']))
    place.pds.lies.proof = async () => new Response('', { status: 503 })
    expect(await repair()).toMatchObject({
      status: 'active',
      outcome: null,
      files: 2,
      intactFiles: 1,
      findings: [
        { what: '"index.html": its bytes are missing or damaged', isRepaired: false },
        { what: expect.stringMatching(/^the source could not be read: /), isRepaired: false },
      ],
    })
    delete place.pds.lies.proof
    await expectRepaired('"index.html": its bytes are missing or damaged')
  })
})
