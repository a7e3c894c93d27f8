import { expect, test } from 'bun:test'
import { listRecords } from '#atproto/repo/list-records.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

const MiB = 1024 * 1024
const collection = 'place.sitehost.fs'

/** How many bytes were read when a server's endless list of records of this size was given up. */
async function readOf(recordBytes: number): Promise<{ bytes: number; error: unknown }> {
  const value = { text: 'x'.repeat(recordBytes) }
  const bodyOf = (page: number) => {
    const uri = `at://${alice}/${collection}/${page}`
    return Buffer.from(JSON.stringify({ records: [{ uri, value }], cursor: String(page) }))
  }
  let bytes = 0
  let page = 0
  const ask = async () => {
    const body = bodyOf(page++)
    bytes += body.length
    return body
  }
  try {
    for await (const _ of listRecords({ did: alice, collection, recordsMax: 1000 }, ask));
    return { bytes, error: null }
  } catch (error) {
    return { bytes, error }
  }
}

test('a collection is read up to 256 MiB, and the page that exceeds them is the last one that is asked for', async () => {
  const pageBytes = 30 * MiB
  const { bytes, error } = await readOf(pageBytes)
  expect(error).toMatchObject({ name: 'UnusableAnswerError', field: 'too many bytes' })
  expect(bytes).toBeWithin(256 * MiB, 256 * MiB + pageBytes)
}, 60_000)
