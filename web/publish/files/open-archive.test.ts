import { describe, expect, test } from 'bun:test'
import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { type ZipFile, zipOf } from '#tests/support/hostile/archives.ts'
import { crc32 } from './crc32.ts'
import { openZip } from './open-archive.ts'
import { pickedOf } from './picked-file.ts'

describe('a zip', () => {
  test('has its files unpacked when they are opened', async () => {
    const long = 'x'.repeat(200_000)
    const [first, second] = await open(
      { name: 'a/index.html', content: long },
      { name: 'a/' },
      { name: './stored.txt', content: 'as it is', method: 0 },
    )
    expect(first).toMatchObject({ path: 'a/index.html', bytes: 200_000, problem: null })
    expect(await (await first?.open())?.text()).toBe(long)
    expect(second?.path).toBe('stored.txt')
    expect(await (await second?.open())?.text()).toBe('as it is')
  })

  test('with sizes of 64 bits is read', async () => {
    const [file] = await open({ name: 'a', content: 'hello', isZip64: true })
    expect(await (await file?.open())?.text()).toBe('hello')
  })

  test('may have an empty file, and none at all', async () => {
    expect((await (await open({ name: 'a' }))[0]?.open())?.size).toBe(0)
    expect(await open()).toEqual([])
  })

  const problems: [string, Partial<ZipFile>][] = [
    ['is a symbolic link', { mode: 0o120777 }],
    ['is neither a file nor a folder', { mode: 0o010644 }],
    ['is encrypted', { flags: 0x801 }],
    ['is compressed in a way that is not supported (method 12)', { method: 12 }],
  ]
  test.each(problems)('says of a file that it %s', async (problem, file) => {
    expect((await open({ name: 'a', content: 'x', ...file }))[0]?.problem).toBe(problem)
  })

  const damages: [string, Partial<ZipFile>][] = [
    ['holds more than it declares', { declaredBytes: 3 }],
    ['holds less than it declares', { declaredBytes: 7 }],
    ['has another checksum', { crc32: 1 }],
  ]
  test.each(damages)('is not trusted when a file %s', async (_, file) => {
    const [opened] = await open({ name: 'a', content: 'hello', ...file })
    await expect(opened?.open()).rejects.toThrow('“a” is damaged in this zip.')
  })

  const refused: [string, Buffer][] = [
    ['This is not a complete zip file.', Buffer.from('no zip')],
    ['This is not a complete zip file.', zipOf([{ name: 'a', content: 'x' }]).subarray(9)],
    [
      'overlap in it',
      zipOf([
        { name: 'a', content: 'x' },
        { name: 'b', sameDataAs: 0, content: 'x' },
      ]),
    ],
    ['is not UTF-8', zipOf([{ name: Buffer.from([0xe9]) }])],
    ['names a drive', zipOf([{ name: 'C:/x' }])],
  ]
  test.each(refused)('is refused: %s', async (sentence, zip) => {
    await expect(openZip(pickedOf('a.zip', blobOf(zip)))).rejects.toThrow(sentence)
  })

  test('of any bytes is read or refused in a sentence', async () => {
    const zip = zipOf([{ name: 'a', content: 'hello', isZip64: true }, { name: 'b' }])
    const change = fc.tuple(fc.nat(zip.length - 1), fc.nat(255))
    const changed = fc.asyncProperty(fc.array(change, { maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(zip)
      for (const [at, byte] of changes) bytes[at] = byte
      const read = openZip(pickedOf('a.zip', blobOf(bytes))).then((files) =>
        Promise.allSettled(files.map((file) => file.open())),
      )
      const error = await read.then(
        (opened) => opened.flatMap((each) => (each.status === 'rejected' ? each.reason : []))[0],
        (reason) => reason,
      )
      expect(error?.name ?? 'ReadError').toBe('ReadError')
    })
    await fc.assert(changed)
  })
})

test('crc32 is that of zlib, in pieces too', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
      expect(crc32(b, crc32(a))).toBe(zlibCrc32(Buffer.concat([a, b])))
    }),
  )
})

const open = (...files: ZipFile[]) => openZip(pickedOf('a.zip', blobOf(zipOf(files))))

const blobOf = (bytes: Buffer) => new Blob([Uint8Array.from(bytes)])
