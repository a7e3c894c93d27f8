import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spool } from '#publish/upload/spool.ts'
import { UploadArrival, UploadTooSlowError } from '#publish/upload/upload-arrival.ts'
import { spoolFile } from './spool-file.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'spool-file-'))
})
afterAll(() => rm(dir, { recursive: true }))

const id = crypto.randomUUID()
const content = {
  sha256: new Bun.CryptoHasher('sha256').update('hello').digest('hex'),
  bytes: 5,
}

/** Sends this body; nothing of it may stay after a failure. */
async function spoolBody(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  { signal = new AbortController().signal, onBytes = async (_: number) => {}, windowMs = 50 } = {},
) {
  await using folder = await new Spool(dir).open(id, { keeps: false })
  const arrival = new UploadArrival({ bytesPerSecondMin: 1024, windowMs })
  return await spoolFile(content, folder, { body, coding: 'identity', signal, arrival, onBytes })
}

/** Begins, and never goes on. */
const stalled = () =>
  new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.from('hel')) })

test('a body that is too slow is ended, and nothing of it stays', async () => {
  await expect(spoolBody(stalled())).rejects.toBeInstanceOf(UploadTooSlowError)
  expect(await readdir(join(dir, id))).toEqual([])
})

test('an aborted one too', async () => {
  const stop = new AbortController()
  const onBytes = async (): Promise<void> => stop.abort(new Error('restarting'))
  const spooled = spoolBody(stalled(), { signal: stop.signal, onBytes, windowMs: 60_000 })
  await expect(spooled).rejects.toThrow()
  expect(await readdir(join(dir, id))).toEqual([])
})

test('the bytes so far are reported before they are written', async () => {
  const reported: number[] = []
  async function* body() {
    yield Buffer.from('hel')
    yield Buffer.from('lo')
  }
  const onBytes = async (bytes: number): Promise<void> => void reported.push(bytes)
  expect(await spoolBody(body(), { onBytes })).toMatchObject(content)
  expect(reported).toEqual([3, 5])
})
