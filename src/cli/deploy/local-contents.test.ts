import { expect, test } from 'bun:test'
import { createGzip, gunzipSync } from 'node:zlib'
import { LocalContents } from './local-contents.ts'

const limits = { bytesMax: Number.POSITIVE_INFINITY }
const text = 'abcdefghijklmnop'

/** One buffer, filled anew for each chunk, as `base64Form` does. */
async function* letters() {
  const buffer = Buffer.alloc(300_000)
  for (const letter of text) yield buffer.fill(letter)
}

test('what a source writes to one buffer again and again is kept whole', async () => {
  await using contents = new LocalContents()
  const expected = Buffer.concat([...text].map((letter) => Buffer.alloc(300_000, letter)))
  const stored = await contents.write(letters(), limits)
  expect(Buffer.from(await (await contents.blob(stored)).bytes()).equals(expected)).toBe(true)
  expect(stored.sha256).toBe(Bun.SHA256.hash(expected, 'hex'))
  const gzipped = await contents.write(letters(), { ...limits, step: createGzip() })
  const unzipped = gunzipSync(await (await contents.blob(gzipped)).bytes())
  expect(unzipped.equals(expected)).toBe(true)
})

test('an aborted signal ends a write', async () => {
  await using contents = new LocalContents()
  const written = contents.write(letters(), { ...limits, signal: AbortSignal.abort() })
  await expect(written).rejects.toThrow('abort')
})
