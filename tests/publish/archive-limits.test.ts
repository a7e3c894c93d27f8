import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { paxOf, type TarFile, tarOf, type ZipFile, zipOf } from '#tests/support/hostile/archives.ts'
import { archiveLimits, refusal, unpack } from '#tests/support/processes/unpack.ts'

// Archives of many entries and many megabytes.

const unpackZip = (files: readonly ZipFile[]) => unpack('site.zip', zipOf(files))

describe('limits, from both sides', () => {
  const folders = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `${i}/` }))
  const roomy = { limits: { ...archiveLimits, siteBytesMax: 100_000_000 } }
  for (const [what, unpackRoomy] of [
    ['zip', (files: readonly ZipFile[]) => unpack('site.zip', zipOf(files), roomy)],
    ['tar', (files: readonly TarFile[]) => unpack('site.tar', tarOf(files), roomy)],
  ] as const) {
    test(`50 000 entries of a ${what}, not one more`, async () => {
      const file = { name: 'index.html' }
      expect((await unpackRoomy([file, ...folders(49_999)])).unwantedBytes).toBe(0)
      expect((await refusal(unpackRoomy([file, ...folders(50_000)]))).message).toContain('50000')
    })
  }
})

describe('bombs end at the limit', () => {
  test('a zip that says so', async () => {
    const bomb = { name: 'a', content: Buffer.alloc(50_000_000) }
    const { message } = await refusal(unpackZip([bomb]))
    expect(message).toContain('its largest file is "a" with 50 MB')
    const withRules = unpackZip([bomb, { name: '.sitehostignore', content: 'b' }])
    expect((await refusal(withRules)).message).toStartWith('"a" is larger than')
  })
  test('a zip that lies', async () => {
    const bomb = { name: 'a', content: Buffer.alloc(50_000_000), declaredBytes: 10 }
    expect((await refusal(unpackZip([bomb]))).message).toContain('damaged')
  })
  test('a tgz, also where it would be left out', async () => {
    for (const name of ['a', '.env']) {
      const bomb = gzipSync(tarOf([{ name, content: Buffer.alloc(50_000_000) }]))
      expect((await refusal(unpack('a.tgz', bomb))).message).toContain('holds more than 19.3 MB')
    }
  })
  test('a tgz of nothing but headers', async () => {
    const headers = tarOf(Array(10_000).fill(paxOf({ path: 'x' })))
    expect((await refusal(unpack('a.tgz', gzipSync(headers)))).reason).toBe('invalid')
  })
})
