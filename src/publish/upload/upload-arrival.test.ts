import { expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { UploadArrival, UploadTooSlowError } from './upload-arrival.ts'

const chunk = new Uint8Array(1000)

/** What a body has that stalls after its first chunk. */
const stalling = () =>
  Readable.fromWeb(
    new ReadableStream({
      start: (controller) => controller.enqueue(chunk),
    }) as unknown as Parameters<typeof Readable.fromWeb>[0],
  )

async function read(arrival: UploadArrival, body: Readable): Promise<number[]> {
  const arrived: number[] = []
  const note = async (bytes: number) => void arrived.push(bytes)
  for await (const _ of arrival.measure(body, note));
  return arrived
}

const reasonOf = (reading: Promise<unknown>) =>
  reading.then(
    () => 'read',
    (error: unknown) => (error instanceof UploadTooSlowError ? error.reason : error),
  )

test('tells how much has arrived', async () => {
  expect(await read(new UploadArrival(), Readable.from([chunk, chunk]))).toEqual([1000, 2000])
})

test('an upload that stalls is ended', async () => {
  const arrival = new UploadArrival({ windowMs: 50 })
  expect(await reasonOf(read(arrival, stalling()))).toBe('below-minimum')
})

test('one that gives way ends while it is waited for', async () => {
  const arrival = new UploadArrival()
  const reading = reasonOf(read(arrival, stalling()))
  arrival.giveWay()
  expect(await reading).toBe('gave-way')
})

test.each([
  ['8 KiB a second', 8 * 1024 * 30, 'read'],
  ['a little less', 8 * 1024 * 30 - 30, 'below-minimum'],
])('at %s', async (_, bytes, expected) => {
  let now = 0
  const arrival = new UploadArrival({ now: () => now })
  async function* sent() {
    now += 30_000
    yield new Uint8Array(bytes)
  }
  expect(await reasonOf(read(arrival, Readable.from(sent())))).toBe(expected)
})

test.each([
  ['a moment', 2_999, null],
  ['three seconds', 3_000, 0],
  ['twenty seconds', 20_000, 0],
])('one that has sent nothing after %s', async (_, ms, expected) => {
  let now = 0
  const arrival = new UploadArrival({ now: () => now })
  let bytesPerSecond: number | null | undefined
  async function* sent() {
    now += ms
    bytesPerSecond = arrival.bytesPerSecond
    yield new Uint8Array(8 * 1024 * 30)
  }
  await read(arrival, Readable.from(sent()))
  expect(bytesPerSecond).toBe(expected)
})

test.each([
  ['just within two hours', 240, 'read'],
  ['a little more', 241, 'too-long'],
])('%s in all', async (_, windows, expected) => {
  let now = 0
  const arrival = new UploadArrival({ now: () => now })
  async function* sent() {
    for (let window = 0; window < windows; window++) {
      now += 30_000
      yield new Uint8Array(9 * 1024 * 30)
    }
  }
  // Nothing is asked for before it is waited for.
  const body = Readable.from(sent(), { highWaterMark: 0 })
  expect(await reasonOf(read(arrival, body))).toBe(expected)
})

test('what it waits for us does not count', async () => {
  let now = 0
  const arrival = new UploadArrival({ now: () => now })
  const slowDisk = async () => {
    now += 60_000
  }
  for await (const _ of arrival.measure(Readable.from([chunk, chunk]), slowDisk));
  expect(arrival.bytesPerSecond).toBeNull()
})
