import { describe, expect, test } from 'bun:test'
import { P256PrivateKeyExportable } from '@atcute/crypto'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { FetchLimitError, type SafeFetch } from '#outbound/safe-fetch.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { BlobMismatchError, BlobUnavailableError, fetchBlob } from './fetch-blob.ts'

const content = Buffer.from('hello world')
const cidOf = (bytes: Uint8Array) => rawCid(new Bun.CryptoHasher('sha256').update(bytes).digest())
const identity = {
  did: alice,
  claimedHandle: null,
  pds: 'https://pds.example',
  signingKey: await P256PrivateKeyExportable.createKeypair(),
  signingMultikey: 'zKey',
}

/** A response whose body comes in these chunks; a real one may join them. */
const answerOf = (body: AsyncIterable<Uint8Array>): SafeFetch => {
  return async () => ({ status: 200, body }) as unknown as Response
}

const answers = (...chunks: string[]): SafeFetch => {
  async function* body() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  return answerOf(body())
}

/** What of a blob was given out, and what ended it. */
async function read(
  fetch: SafeFetch,
  { bytes = content, size = bytes.length }: { bytes?: Uint8Array; size?: number } = {},
): Promise<{ given: string; error: unknown }> {
  let given = ''
  try {
    for await (const chunk of fetchBlob({ cid: cidOf(bytes), size }, identity, fetch)) {
      given += Buffer.from(chunk).toString()
    }
  } catch (error) {
    return { given, error }
  }
  return { given, error: null }
}

test('a CID is that of raw bytes', () => {
  expect(cidOf(new Uint8Array())).toBe(
    'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
  )
})

test('it is asked for at the account’s server, with a cap of its size', async () => {
  let asked = ''
  let cap = 0
  const fetch: SafeFetch = async (url, init) => {
    asked = String(url)
    cap = init?.limits?.responseBytesMax ?? 0
    return new Response(content)
  }
  expect(await read(fetch)).toEqual({ given: 'hello world', error: null })
  expect(asked).toBe(
    `https://pds.example/xrpc/com.atproto.sync.getBlob?did=${encodeURIComponent(alice)}&cid=${cidOf(content)}`,
  )
  expect(cap).toBe(content.length + 1)
})

test('an empty blob is nothing', async () => {
  expect(await read(answers(), { bytes: new Uint8Array() })).toEqual({ given: '', error: null })
})

describe('the last chunk is held back until all is known to be right', () => {
  const facts: [string, SafeFetch, string][] = [
    ['other content', answers('hello ', 'World'), 'hello '],
    ['short', answers('hello ', 'worl'), 'hello '],
    ['long', answers('hello ', 'world', '!'), 'hello '],
    ['nothing', answers(), ''],
    ['a page', answers('<!doctype html>'), ''],
  ]
  for (const [what, fetch, given] of facts) {
    test(what, async () => {
      const result = await read(fetch)
      expect(result.given).toBe(given)
      expect(result.error).toBeInstanceOf(BlobMismatchError)
    })
  }
  test('over the cap', async () => {
    async function* body() {
      yield content
      throw new FetchLimitError('bytes', 'https://pds.example')
    }
    expect((await read(answerOf(body()))).error).toBeInstanceOf(BlobMismatchError)
  })
})

test('a transfer that is too slow is no fault of the blob', async () => {
  const slow = new FetchLimitError('idle', 'https://pds.example')
  async function* body() {
    yield content.subarray(0, 3)
    throw slow
  }
  expect((await read(answerOf(body()))).error).toBe(slow)
})

describe('is not available', () => {
  for (const status of [204, 206, 302, 400, 404, 429, 500]) {
    test(`status ${status}`, async () => {
      const body = status === 204 ? null : content
      const { given, error } = await read(async () => new Response(body, { status }))
      expect(given).toBe('')
      expect(error).toBeInstanceOf(BlobUnavailableError)
      expect(error).toMatchObject({ status })
    })
  }
})
