import { describe, expect, test } from 'bun:test'
import { Transform } from 'node:stream'
import { createGzip, gunzipSync } from 'node:zlib'
import { eventually } from '#tests/support/eventually.ts'
import { throughStep } from './through-step.ts'

/** One buffer, filled anew for each chunk. */
async function* letters(text: string, bytes = 100_000) {
  const buffer = Buffer.alloc(bytes)
  for (const letter of text) yield buffer.fill(letter)
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}

describe('a source through a step', () => {
  test('may use one buffer again and again', async () => {
    const gzipped = await read(throughStep(letters('abcdefgh'), createGzip()))
    const expected = Buffer.concat([...'abcdefgh'].map((letter) => Buffer.alloc(100_000, letter)))
    expect(gunzipSync(gzipped).equals(expected)).toBe(true)
  })

  test('that fails makes reading fail', async () => {
    async function* failing() {
      yield Buffer.from('a')
      throw new Error('gone')
    }
    await expect(read(throughStep(failing(), createGzip()))).rejects.toThrow('gone')
  })

  test('is not read on when the step fails', async () => {
    const step = new Transform({ transform: (_chunk, _encoding, done) => done(new Error('bad')) })
    await expect(read(throughStep(letters('ab'), step))).rejects.toThrow('bad')
  })

  test('ends when the reader stops, or the signal aborts', async () => {
    let ended = 0
    async function* endless() {
      try {
        for (;;) yield crypto.getRandomValues(Buffer.alloc(60_000))
      } finally {
        ended++
      }
    }
    for await (const _ of throughStep(endless(), createGzip())) break
    const controller = new AbortController()
    const aborted = async () => {
      for await (const _ of throughStep(endless(), createGzip(), controller.signal)) {
        controller.abort()
      }
    }
    await expect(aborted()).rejects.toThrow('abort')
    await eventually(async () => expect(ended).toBe(2))
  })
})
