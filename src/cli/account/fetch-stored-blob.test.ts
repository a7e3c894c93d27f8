import { expect, test } from 'bun:test'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { UnusableAnswerError } from '#outbound/server-errors.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { fetchStoredBlob } from './fetch-stored-blob.ts'

const bytes = Buffer.from('content')
const cid = rawCid(new Bun.CryptoHasher('sha256').update(bytes).digest())
const { signal } = new AbortController()

const fetched = (answer: string) =>
  fetchStoredBlob({ did: alice, pds: 'https://pds.test' }, cid, 100, {
    fetch: async () => new Response(answer),
    signal,
  })

test('the bytes of the CID are returned, others are an answer that cannot be used', async () => {
  expect(Buffer.from(await fetched('content')).toString()).toBe('content')
  await expect(fetched('other')).rejects.toBeInstanceOf(UnusableAnswerError)
})
