import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { moveBlobs } from '#blobs/move-blobs.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { type S3FaultServer, startS3FaultServer } from '#tests/support/servers/s3-fault-server.ts'
import { s3LocationAt, testS3Store } from '#tests/support/servers/s3-store.ts'
import { contentOf, listOf, patterned } from '../support/blob-store-contract.ts'

let dir: string
let server: S3FaultServer
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'blobs-copy-'))
  server = await startS3FaultServer({ pageKeysMax: 3 })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const large = patterned(2 * 1024 * 1024)

test('sitehost blobs copy brings a folder into a bucket and back, and repeats only what is new', async () => {
  const source = diskBlobStore({ dir: join(dir, 'blobs') })
  await source.make()
  const { hash } = await source.put(large)
  for (let n = 0; n < 7; n++) await source.put(new TextEncoder().encode(`blob ${n}`))
  const bucket = `s3://blobs?endpoint=${server.endpoint}`
  const environment = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test-secret' }
  const copy = (from: string, to: string) =>
    runCommand(['blobs', 'copy', '--from', from, '--to', to], environment)

  const there = await copy(join(dir, 'blobs'), bucket)
  expect(there.said[0]).toBe('8 blobs there, 8 new (2.1 MB)')
  expect(there.said.at(-1)).toBe('8 blobs there, 0 new (0 B)')
  expect(there.code).toBe(0)
  expect(server.objects.size).toBe(8)
  await source.put(new TextEncoder().encode('what came meanwhile'))
  expect((await copy(join(dir, 'blobs'), bucket)).said[0]).toStartWith('9 blobs there, 1 new')

  expect((await copy(bucket, join(dir, 'back'))).code).toBe(0)
  const back = diskBlobStore({ dir: join(dir, 'back') })
  expect(await listOf(back)).toEqual(await listOf(source))
  expect(await contentOf(back, hash)).toEqual(large)

  server.always = { kind: 'status', status: 403, code: 'AccessDenied' }
  const denied = await copy(bucket, join(dir, 'back'))
  expect([denied.code, denied.complaints]).toEqual([1, expect.stringContaining('AccessDenied')])
  expect(denied.complaints).not.toContain('test-secret')
  expect((await copy(join(dir, 'nowhere'), bucket)).complaints).toContain('no folder of blobs')
}, 120_000)

test('wrong bytes do not arrive, and a copy that was interrupted goes on', async () => {
  const source = diskBlobStore({ dir: join(dir, 'blobs') })
  const hashes = await Promise.all(
    [1, 2, 3, 4].map(async (n) => (await source.put(patterned(1000 + n))).hash),
  )
  const [damaged = ''] = hashes
  await writeFile(join(dir, 'blobs', damaged.slice(0, 2), damaged.slice(2)), 'damaged')
  const timing = { tryMs: 200, retryMs: 300, pauseMs: 5 }
  const { store: to } = testS3Store({ dir, timing, location: s3LocationAt(server.endpoint) })
  const stop = new AbortController()
  const options = { from: source, to, signal: stop.signal }
  stop.abort(new Error('interrupted'))
  await expect(moveBlobs(options)).rejects.toThrow('interrupted')

  const { signal } = new AbortController()
  expect(await moveBlobs({ ...options, signal })).toMatchObject({ count: 3, added: 3, missing: 1 })
  expect([...server.objects.keys()].sort()).toEqual(hashes.slice(1).sort())

  const back = diskBlobStore({ dir: join(dir, 'back') })
  server.objects.set(damaged, Buffer.from('other bytes'))
  expect(await moveBlobs({ from: to, to: back, signal })).toMatchObject({ count: 3, missing: 1 })
  expect(await listOf(back)).toEqual(hashes.slice(1).sort())
})
