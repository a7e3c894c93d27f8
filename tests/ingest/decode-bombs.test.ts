import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { constants, deflateRawSync } from 'node:zlib'

/** Deflated, without a name or a time (RFC 1952 §2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
const base64 = (bytes: Uint8Array): Buffer => Buffer.from(Buffer.from(bytes).toString('base64'))

describe('a bomb of 1 GiB in 1 MiB', () => {
  // Sixty-four times the same piece of a stream: to compress all of it takes longer than all other tests here.
  const piece = deflateRawSync(Buffer.alloc(16 * 1024 * 1024), {
    finishFlush: constants.Z_FULL_FLUSH,
  })
  const bomb = Buffer.concat([gzipHeader, ...new Array<Buffer>(64).fill(piece)])
  for (const [form, raw] of [
    ['gzip', bomb],
    ['gzip base64', base64(bomb)],
  ] as const) {
    test(`${form} is stopped at the limit, in bounded memory`, async () => {
      const { failure, readBytes, grownBytes } = await storeApart(raw, form === 'gzip base64')
      expect(failure).toContain('larger than')
      expect(readBytes).toBeLessThan(raw.length / 5)
      expect(grownBytes).toBeLessThan(32 * 1024 * 1024)
    }, 30_000)
  }
})

/** Stores `raw` in a process of its own: what other tests leave on the heap is not the decoder's. */
async function storeApart(
  raw: Uint8Array,
  base64: boolean,
): Promise<{ failure: string; readBytes: number; grownBytes: number }> {
  const script = `
    import { storeDecoded } from ${JSON.stringify(join(import.meta.dir, '../../src/ingest/blobs/decode-blob.ts'))}
    const raw = await Bun.stdin.bytes()
    let readBytes = 0
    async function* counted() {
      for (let at = 0; at < raw.length; at += 16_384) {
        const chunk = raw.subarray(at, at + 16_384)
        readBytes += chunk.length
        yield chunk
      }
    }
    const put = async (source) => { for await (const _ of source); return { hash: '', bytes: 0 } }
    Bun.gc(true)
    const before = process.memoryUsage().rss
    const failure = await storeDecoded(
      counted(),
      { coding: 'gzip', base64: ${base64} },
      { blobs: { put }, decodedBytesMax: 100 * 1024 * 1024 },
    ).then(() => 'none', (error) => error.message)
    const grownBytes = process.memoryUsage().rss - before
    console.log(JSON.stringify({ failure, readBytes, grownBytes }))
  `
  const child = Bun.spawn([process.execPath, '-e', script], {
    stdin: raw,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return JSON.parse(await new Response(child.stdout).text())
}
