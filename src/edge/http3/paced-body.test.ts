import { describe, expect, test } from 'bun:test'
import { wholeBodyBytesMax } from '#site/limits.ts'
import { eventually } from '#tests/support/eventually.ts'
import { type BodyEnd, paced, pieceBytes } from './paced-body.ts'

const minuteMs = 60_000

async function pace(answer: Response, { isHead = false, stallMsMax = minuteMs } = {}) {
  const ends: BodyEnd[] = []
  const response = await paced(answer, {
    isHead,
    stallMsMax,
    onEnd: (reason) => ends.push(reason),
  })
  return { ends, response }
}

const answerOf = (body: Uint8Array<ArrayBuffer>) =>
  new Response(new Blob([body]), {
    status: 203,
    headers: { 'content-length': String(body.length), etag: '"a"' },
  })

describe('a body arrives whole', () => {
  const sizes = [0, 4_096, 4_097, pieceBytes, pieceBytes + 1, wholeBodyBytesMax]
  for (const size of sizes) {
    test(`of ${size} bytes in memory`, async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(Math.min(size, 65_536)))
      const body = new Uint8Array(size).map((_, at) => bytes[at % bytes.length] ?? 0)
      const { ends, response } = await pace(answerOf(body))
      expect(Bun.hash(await response.bytes())).toBe(Bun.hash(body))
      expect([response.status, response.headers.get('etag')]).toEqual([203, '"a"'])
      expect(response.headers.get('content-length')).toBe(String(size))
      expect(ends).toEqual(['sent'])
    })
  }

  test('of a stream, and of what does not say its length', async () => {
    const chunk = new Uint8Array(3 * pieceBytes + 5).fill(7)
    const { ends, response } = await pace(new Response(new Blob([chunk, chunk]).stream()))
    expect(await response.bytes()).toEqual(new Uint8Array(2 * chunk.length).fill(7))
    expect(ends).toEqual(['sent'])
  })

  test('and what has none is not touched', async () => {
    const head = new Response(null, { headers: { 'content-length': '70000' } })
    expect((await pace(head, { isHead: true })).response).toBe(head)
    const notModified = new Response(null, { status: 304 })
    expect((await pace(notModified)).response).toBe(notModified)
  })
})

/** Of a body without an end, how many chunks were made. */
function endless() {
  const made = { chunks: 0, isCancelled: false }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    pull(controller) {
      made.chunks += 1
      controller.enqueue(new Uint8Array(pieceBytes))
    },
    cancel() {
      made.isCancelled = true
    },
  }
  return { made, answer: new Response(new ReadableStream(source, { highWaterMark: 0 })) }
}

describe('a client that takes nothing', () => {
  test('has no more than its first pieces made, and is given up', async () => {
    const { answer, made } = endless()
    const { ends, response } = await pace(answer, { stallMsMax: 20 })
    const reader = response.body?.getReader()
    await reader?.read()
    await eventually(async () => expect(ends).not.toBeEmpty())
    await expect(Promise.resolve(reader?.read())).rejects.toThrow('a client has taken nothing')
    expect(ends).toEqual(['stalled'])
    expect(made.chunks).toBeLessThan(4)
  })

  test('and hangs up ends the source', async () => {
    const { answer, made } = endless()
    const { ends, response } = await pace(answer)
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(ends).toEqual(['cancelled'])
    expect(made.isCancelled).toBe(true)
  })
})

test('a source that fails is an answer that fails', async () => {
  const source = new ReadableStream({
    pull: () => {
      throw new Error('disk')
    },
  })
  const { ends, response } = await pace(new Response(source))
  await expect(response.bytes()).rejects.toThrow('disk')
  expect(ends).toEqual(['failed'])
})
