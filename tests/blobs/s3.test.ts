import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BlobStorageError } from '#blobs/blob-store.ts'
import type { S3BlobStore } from '#blobs/s3.ts'
import type { S3Timing } from '#blobs/s3-client.ts'
import { S3Error } from '#blobs/s3-error.ts'
import { errorText } from '#observe/error-text.ts'
import {
  type S3Fault,
  type S3FaultServer,
  startS3FaultServer,
} from '#tests/support/servers/s3-fault-server.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import { s3LocationAt, testS3Store } from '#tests/support/servers/s3-store.ts'
import {
  blobStoreContract,
  contentOf,
  listOf,
  patterned,
  sha256,
} from '../support/blob-store-contract.ts'

const small = patterned(1000)
const large = patterned(1024 * 1024 + 1000)
const quick: Partial<S3Timing> = { tryMs: 300, retryMs: 2_000, pauseMs: 5 }

let fauxqs: S3Server
beforeAll(async () => {
  fauxqs = await startS3Server()
})
afterAll(() => fauxqs.stop())

blobStoreContract('fauxqs', async () => {
  const dir = await mkdtemp(join(tmpdir(), 's3-'))
  // A prefix of its own: the bucket stays.
  const location = s3LocationAt(fauxqs.endpoint, `of/${crypto.randomUUID()}`)
  return {
    store: testS3Store({ dir, location }).store,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
})

blobStoreContract('a server in memory with short pages', async () => {
  const dir = await mkdtemp(join(tmpdir(), 's3-'))
  const server = await startS3FaultServer({ pageKeysMax: 7 })
  return {
    store: testS3Store({ dir, location: s3LocationAt(server.endpoint) }).store,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await rm(dir, { recursive: true })
    },
  }
})

describe('a blob store whose server fails', () => {
  let dir: string
  let server: S3FaultServer
  let store: S3BlobStore
  let damaged: string[]

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 's3-'))
    server = await startS3FaultServer()
    damaged = []
    store = storeWith(quick)
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  const storeWith = (timing: Partial<S3Timing>) =>
    testS3Store({
      ...{ dir, timing, location: s3LocationAt(server.endpoint) },
      onCorrupt: (hash) => damaged.push(hash),
    }).store

  const busy: S3Fault = { kind: 'status', status: 503, code: 'SlowDown' }
  const passing: [string, S3Fault][] = [
    ['asks for less', busy],
    ['has a fault', { kind: 'status', status: 500 }],
    ['does not answer', { kind: 'hang' }],
    ['resets the connection', { kind: 'reset' }],
  ]
  const passingBodies: [string, S3Fault][] = [
    ['waited too long for the request', { kind: 'status', status: 400, code: 'RequestTimeout' }],
    ['cuts the body', { kind: 'cut' }],
    ['stops in the body', { kind: 'stall' }],
    ['sends other bytes once', { kind: 'wrong' }],
  ]

  test.each([...passing, ...passingBodies])(
    'reads what is there from one that %s',
    async (_, fault) => {
      const { hash } = await store.put(large)
      server.faults.push(fault)
      expect(await contentOf(store, hash)).toEqual(large)
      server.faults.push(fault)
      expect(await store.verify(hash)).toEqual({ isIntact: true, bytes: large.byteLength })
      expect(damaged).toEqual([])
    },
  )

  test.each(passing)('stores, finds, lists and deletes at one that %s', async (_, fault) => {
    server.faults.push(fault)
    const { hash } = await store.put(small)
    server.faults.push(fault)
    expect(await store.has(hash)).toBe(true)
    server.faults.push(fault)
    expect(await listOf(store)).toEqual([hash])
    server.faults.push(fault)
    await store.delete(hash)
    expect(server.objects.size).toBe(0)
  })

  test('a stream of which a try failed is sent again whole, and leaves no file', async () => {
    server.faults.push({ kind: 'reset' }, busy)
    const { hash } = await store.put(new Blob([large.slice()]).stream())
    expect(sha256(server.objects.get(hash) ?? new Uint8Array())).toBe(hash)
    expect(await readdir(join(dir, 'tmp'))).toEqual([])
  })

  test.each([...passing, ['sends no list', { kind: 'text', text: '<html>' }] as [string, S3Fault]])(
    'a server that always %s fails within the deadline, at most a try later',
    async (_, fault) => {
      const hasty = storeWith({ tryMs: 100, retryMs: 400, pauseMs: 5 })
      server.always = fault
      const began = performance.now()
      const failure = await Array.fromAsync(hasty.list()).catch((error) => error)
      expect(failure).toBeInstanceOf(BlobStorageError)
      expect(failure.cause).toBeInstanceOf(S3Error)
      // The deadline is 0.4 s; a machine under load gets much more.
      expect(performance.now() - began).toBeLessThan(10_000)
      expect(server.requests.length).toBeGreaterThan(1)
    },
  )

  const final: [string, S3Fault, string][] = [
    ['denies access', { kind: 'status', status: 403, code: 'AccessDenied' }, 'AccessDenied'],
    ['knows no such bucket', { kind: 'status', status: 404, code: 'NoSuchBucket' }, 'NoSuchBucket'],
    [
      'sends elsewhere',
      { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
      'status=307',
    ],
    [
      'finds other bytes than the signed ones',
      { kind: 'status', status: 400, code: 'BadDigest' },
      'BadDigest',
    ],
  ]
  test.each(final)(
    'one that %s is asked once, and its reason is told',
    async (_, fault, reason) => {
      server.always = fault
      const failure = await store.open(sha256(small)).catch((error) => error)
      expect(failure).toBeInstanceOf(BlobStorageError)
      // As the log has it, in which a secret would be left out.
      expect(errorText(failure.cause)).toContain(reason)
      expect(server.requests).toHaveLength(1)
    },
  )

  test('a put that finds nothing there has failed', async () => {
    server.always = { kind: 'status', status: 404 }
    await expect(store.put(small)).rejects.toThrow(BlobStorageError)
  })

  test('Retry-After is obeyed by all requests, and not waited for beyond the deadline', async () => {
    server.faults.push({ kind: 'status', status: 503, headers: { 'retry-after': '1' } })
    const began = performance.now()
    await store.put(small)
    expect(performance.now() - began).toBeGreaterThan(950)

    server.faults.push({ kind: 'status', status: 429, headers: { 'retry-after': '3600' } })
    await expect(store.put(small)).rejects.toThrow(BlobStorageError)
    const asked = server.requests.length
    await expect(store.has(sha256(small))).rejects.toThrow(BlobStorageError)
    expect(server.requests).toHaveLength(asked)
  })

  test('bytes that are wrong with every read are deleted, and told', async () => {
    const { hash } = await store.put(small)
    server.objects.set(hash, Buffer.from('something else'))
    expect(await store.open(hash)).toBeNull()
    expect(server.objects.has(hash)).toBe(false)
    expect(damaged).toEqual([hash])
  })

  test('bytes that are wrong in another way with each read are neither returned nor deleted', async () => {
    const { hash } = await store.put(small)
    server.objects.set(hash, Buffer.from('something else'))
    server.faults.push({ kind: 'wrong' })
    await expect(store.open(hash)).rejects.toThrow(BlobStorageError)
    expect(server.objects.has(hash)).toBe(true)
    expect(damaged).toEqual([])
  })

  test('a request is signed with the hash of its bytes, and no error tells the secret', async () => {
    const { hash } = await store.put(small)
    expect(server.headers[0]?.['x-amz-content-sha256']).toBe(hash)
    expect(server.headers[0]?.authorization).toStartWith('AWS4-HMAC-SHA256 Credential=test/')
    server.always = { kind: 'status', status: 403, code: 'SignatureDoesNotMatch' }
    const failure = await store.has(hash).catch((error) => error)
    expect(Bun.inspect(failure)).not.toContain('test-secret')
  })

  test('more than fits in memory is not opened without a disk', async () => {
    const { hash } = await store.put(patterned(17 * 1024 * 1024))
    const failure = await store.open(hash).catch((error) => error)
    expect(failure).toMatchObject({ name: 'BlobStorageError', reason: 'full' })
    expect((await store.verify(hash)).isIntact).toBe(true)
  })
})
