import { describe, expect, test } from 'bun:test'
import { crc32, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { paxOf, type TarFile, tarOf, type ZipFile, zipOf } from '#tests/support/hostile/archives.ts'
import { refusal, unpack } from '#tests/support/processes/unpack.ts'

const unpackZip = (files: readonly ZipFile[]) => unpack('site.zip', zipOf(files))
const unpackTar = (files: readonly TarFile[]) => unpack('site.tar', tarOf(files))

const pair = [
  { name: 'b/index.html', content: 'hello' },
  { name: 'b/ü/日本.txt', content: 'x'.repeat(200_000) },
]
const asFiles = { 'index.html': 'hello', 'ü/日本.txt': 'x'.repeat(200_000) }
const bunTar = () =>
  new Bun.Archive(Object.fromEntries(pair.map(({ name, content }) => [name, content])))

describe('the same files come out of', () => {
  const archives: [string, string, () => Uint8Array | Promise<Uint8Array>][] = [
    ['a zip', 'site.zip', () => zipOf(pair)],
    ['a zip that is not compressed', 'a.zip', () => zipOf(pair.map((f) => ({ ...f, method: 0 })))],
    ['a zip64', 'SITE.ZIP', () => zipOf(pair.map((file) => ({ ...file, isZip64: true })))],
    ['a zip without the UTF-8 flag', 'a.zip', () => zipOf(pair.map((f) => ({ ...f, flags: 0 })))],
    ['a zip with folders', 'a.zip', () => zipOf([{ name: 'b/' }, ...pair, { name: 'b/z/' }])],
    ['a tar', 'site.tar', () => tarOf(pair)],
    ['a tar with folders', 'a.tar', () => tarOf([{ name: 'b/', type: '5' }, ...pair])],
    [
      'a tar of "."',
      'a.tar',
      () => tarOf(pair.map((f) => ({ ...f, name: f.name.replace('b/', './') }))),
    ],
    ['a tar.gz', 'site.tar.gz', () => gzipSync(tarOf(pair))],
    ['a tgz', 'site.tgz', () => gzipSync(tarOf(pair))],
    ['a tar of another program', 'site.tar', () => bunTar().bytes()],
  ]
  for (const [what, name, bytes] of archives) {
    test(what, async () => {
      expect(await unpack(name, await bytes())).toEqual({
        files: asFiles,
        skippedFiles: [],
        unwantedBytes: 0,
      })
    })
  }
})

describe('long names', () => {
  const name = `${'folder/'.repeat(30)}${'n'.repeat(250)}`
  const files = { [name.slice('folder/'.length)]: 'x' }
  const long: [string, TarFile[]][] = [
    ['of pax', [paxOf({ mtime: '1', path: name, size: '1' }), { name: 'n', content: 'x' }]],
    [
      'of GNU tar',
      [
        { name: '@', type: 'L', content: `${name}\0` },
        { name: 'n', content: 'x' },
      ],
    ],
    [
      'after what is about all',
      [
        { name: 'g', type: 'g', content: '11 a=bcdef\n' },
        paxOf({ path: name }),
        { name: 'n', content: 'x' },
      ],
    ],
  ]
  for (const [what, entries] of long) {
    test(what, async () => expect((await unpackTar(entries)).files).toEqual(files))
  }
  test('of Info-ZIP, next to one in a local character set', async () => {
    const local = Buffer.from('\xfc.txt', 'latin1')
    const sum = Buffer.alloc(4)
    sum.writeUInt32LE(crc32(local))
    const extra = Buffer.concat([Buffer.from([0x75, 0x70, 11, 0, 1]), sum, Buffer.from('ü.txt')])
    const unpacked = await unpackZip([{ name: local, content: 'x', extra, flags: 0 }])
    expect(unpacked.files).toEqual({ 'ü.txt': 'x' })
  })
})

describe('what is left out is listed and never written, whatever it is', () => {
  test('of a zip', async () => {
    const unpacked = await unpackZip([
      { name: 's/a/.env', content: 'secret' },
      { name: 's/node_modules/.bin/x', mode: 0o120777, content: '../y' },
      { name: 's/big.log', content: 'x'.repeat(1_000_001) },
      { name: 's/.sitehostignore', content: '*.log\n[' },
      { name: 's/index.html', content: 'x' },
    ])
    expect(unpacked).toEqual({
      files: { 'index.html': 'x' },
      skippedFiles: [
        { name: 's/a/.env', reason: 'may hold secrets' },
        { name: 's/node_modules/.bin/x', reason: 'installed packages' },
        { name: 's/big.log', reason: '.sitehostignore' },
        { name: 's/.sitehostignore', reason: 'line 2: has a [ without its ]' },
      ],
      unwantedBytes: 0,
    })
  })
  test('of a tar', async () => {
    const unpacked = await unpackTar([
      { name: './node_modules/.bin/x', type: '2' },
      { name: './drafts/a', content: 'x' },
      { name: './.sitehostignore', content: '/drafts' },
      { name: './index.html', content: 'x' },
    ])
    expect(unpacked.files).toEqual({ 'index.html': 'x' })
    expect(unpacked.skippedFiles.map(({ name }) => name)).toEqual([
      'node_modules/.bin/x',
      'drafts/a',
    ])
    expect(unpacked.unwantedBytes).toBe(0)
  })
  test('by the rules of a sitehost.json, too', async () => {
    const unpacked = await unpackZip([
      { name: 's/a.psd', content: 'x' },
      { name: 's/sitehost.json', content: '{ "ignore": ["*.psd"] }' },
      { name: 's/index.html', content: 'x' },
    ])
    expect(unpacked).toEqual({
      files: { 'index.html': 'x' },
      skippedFiles: [{ name: 's/a.psd', reason: 'sitehost.json' }],
      unwantedBytes: 0,
    })
  })
  test('rules in a folder that is not the root are an ordinary file', async () => {
    const unpacked = await unpackTar([
      { name: 'x/.sitehostignore', content: '*' },
      { name: 'x/a', content: 'x' },
      { name: 'index.html', content: 'x' },
    ])
    expect(Object.keys(unpacked.files)).toEqual(['x/.sitehostignore', 'x/a', 'index.html'])
  })
  test('nothing but that is refused', async () => {
    const { message } = await refusal(unpackTar([{ name: '.env', content: 'x' }]))
    expect(message).toContain('Nothing was published')
    expect((await refusal(unpackZip([]))).reason).toBe('invalid')
  })
})

test('space is reserved before anything is written', async () => {
  const zip = zipOf(pair)
  const asked: number[] = []
  await unpack('a.zip', zip, { onUnpack: async (bytes) => void asked.push(bytes - zip.length) })
  expect(asked).toEqual([200_005])
})

test('the slot for unpacking is held from the arrival to the end, good or bad', async () => {
  const zip = zipOf(pair)
  for (const [bytes, seen] of [
    [zip, ['taken', 'unpacking', 'given back']],
    [zip.subarray(0, -1), ['taken', 'given back']],
  ] as const) {
    const steps: string[] = []
    await unpack('a.zip', bytes, {
      unpackSlot: async () => {
        steps.push('taken')
        return { [Symbol.dispose]: () => void steps.push('given back') }
      },
      onUnpack: async () => void steps.push('unpacking'),
    }).catch(() => undefined)
    expect(steps).toEqual([...seen])
  }
})

describe('names are refused in every format', () => {
  const names: [string, string][] = [
    ['../x', '"../x": dot segment'],
    ['a/../../x', 'dot segment'],
    ['/etc/passwd', '"/etc/passwd": absolute'],
    ['C:/x', '"C:/x": names a drive'],
    ['c:x', 'names a drive'],
    ['a\\b', 'backslash'],
    ['..\\x', 'backslash'],
    ['a//b', 'empty segment'],
    ['a\tb', 'control character'],
    ['n'.repeat(256), 'over 255 bytes'],
    [`${'n/'.repeat(2100)}x`, 'longer than 4096 bytes'],
  ]
  for (const [name, message] of names) {
    test(JSON.stringify(name.slice(0, 20)), async () => {
      const inTar = name.length > 100 ? [paxOf({ path: name }), { name: 'n' }] : [{ name }]
      for (const unpacking of [() => unpackZip([{ name }]), () => unpackTar(inTar)]) {
        const error = await refusal(unpacking())
        expect(error.reason).toBe('invalid')
        expect(error.message).toContain(message)
      }
    })
  }
  test('that are not UTF-8', async () => {
    const name = Buffer.from('\xff.txt', 'latin1')
    for (const unpackAll of [unpackZip, unpackTar]) {
      expect((await refusal(unpackAll([{ name }]))).message).toContain('is not UTF-8')
    }
  })
  test('that come twice, or as file and folder', async () => {
    const twice = [{ name: 'a/b' }, { name: 'a/b' }]
    const conflict = [{ name: 'r/a' }, { name: 'r/a/b' }]
    for (const unpackAll of [unpackZip, unpackTar]) {
      expect((await refusal(unpackAll(twice))).message).toContain('"a/b" is there twice')
      expect((await refusal(unpackAll(conflict))).message).toContain('"r/a" is both')
    }
  })
})

describe('refused as invalid', () => {
  const good = { name: 'a', content: 'x'.repeat(5000) }
  const zip = zipOf([good])
  const tar = tarOf([good])
  const gz = gzipSync(tar)
  const flipped = (bytes: Buffer, at: number): Buffer => {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 0xff
    return copy
  }
  const facts: [string, string, Uint8Array, string][] = [
    ['another ending', 'a.rar', zip, '"a.rar" is not a .zip'],
    ['no ending', 'zip', zip, 'is not a .zip'],
    ['a tar called zip', 'a.zip', tar, 'complete zip'],
    ['a zip called tar', 'a.tar', zip, 'complete tar'],
    ['a zip called tar.gz', 'a.tar.gz', zip, 'complete gzip'],
    ['a tar called tgz', 'a.tgz', tar, 'complete gzip'],
    ['a gzip that holds no tar', 'a.tgz', gzipSync('hello'), 'complete tar'],
    ['an empty zip file', 'a.zip', Buffer.alloc(0), 'complete zip'],
    ['an empty tar file', 'a.tar', Buffer.alloc(0), 'complete tar'],
    ['an empty tgz', 'a.tgz', Buffer.alloc(0), 'complete'],
    ['a zip without its end', 'a.zip', zip.subarray(0, -1), 'complete zip'],
    ['a zip without its beginning', 'a.zip', zip.subarray(20), 'zip'],
    ['a zip with something behind it', 'a.zip', Buffer.concat([zip, Buffer.from('x')]), 'zip'],
    ['a zip with a wrong byte', 'a.zip', flipped(zip, 33), '"a" is damaged'],
    ['a zip with a wrong local header', 'a.zip', flipped(zip, 0), '"a" is damaged'],
    ['a zip with a wrong checksum', 'a.zip', zipOf([{ ...good, crc32: 1 }]), '"a" is damaged'],
    ['a file longer than it says', 'a.zip', zipOf([{ ...good, declaredBytes: 9 }]), 'damaged'],
    ['a file shorter than it says', 'a.zip', zipOf([{ ...good, declaredBytes: 9999 }]), 'damaged'],
    [
      'a stored size that is another',
      'a.zip',
      zipOf([{ ...good, method: 0, declaredBytes: 9 }]),
      'zip',
    ],
    ['an encrypted file', 'a.zip', zipOf([{ ...good, flags: 0x801 }]), '"a" is encrypted'],
    ['strong encryption', 'a.zip', zipOf([{ ...good, flags: 0x841 }]), 'zip'],
    ['another compression', 'a.zip', zipOf([{ ...good, method: 14 }]), '(method 14)'],
    ['a symbolic link', 'a.zip', zipOf([{ ...good, mode: 0o120777 }]), '"a" is a symbolic link'],
    ['a device', 'a.zip', zipOf([{ ...good, mode: 0o020666 }]), '"a" is neither'],
    [
      'overlapping files',
      'a.zip',
      zipOf([good, { ...good, name: 'b', sameDataAs: 0 }]),
      'on top of',
    ],
    ['a tar cut in a file', 'a.tar', tar.subarray(0, 1000), '"a" is damaged'],
    ['a tar cut in a header', 'a.tar', tar.subarray(0, 300), 'complete tar'],
    ['a tar without its end', 'a.tar', tarOf([good], Buffer.alloc(0)), 'complete tar'],
    ['a tar with a wrong header', 'a.tar', flipped(tar, 5), 'complete tar'],
    ['a tar with more behind its end', 'a.tar', Buffer.concat([tar, Buffer.from('x')]), 'follows'],
    ['a tgz cut', 'a.tgz', gz.subarray(0, -9), 'complete gzip'],
    ['a tgz with a wrong checksum', 'a.tgz', flipped(gz, gz.length - 6), 'complete gzip'],
    ['a hard link', 'a.tar', tarOf([{ name: 'a', type: '1', declaredBytes: 7 }]), 'is a hard link'],
    ['a symbolic link in a tar', 'a.tar', tarOf([{ name: 'a', type: '2' }]), 'is a symbolic link'],
    ['a device in a tar', 'a.tar', tarOf([{ name: 'a', type: '4' }]), '"a" is a device'],
    ['a pipe', 'a.tar', tarOf([{ name: 'a', type: '6' }]), '"a" is a pipe'],
    ['a sparse file', 'a.tar', tarOf([paxOf({ 'GNU.sparse.major': '1' }), good]), 'sparse'],
    ['a kind nobody knows', 'a.tar', tarOf([{ name: 'a', type: 'S' }]), 'not supported ("S")'],
    [
      'a broken pax header',
      'a.tar',
      tarOf([{ name: 'p', type: 'x', content: '99 a=b\n' }, good]),
      'complete tar',
    ],
    ['headers about nothing', 'a.tar', tarOf(Array(8).fill(paxOf({ path: 'x' }))), 'complete tar'],
  ]
  for (const [what, name, bytes, message] of facts) {
    test(what, async () => {
      const error = await refusal(unpack(name, bytes))
      expect(error.reason).toBe('invalid')
      expect(error.message).toContain(message)
    })
  }
})

describe('limits, from both sides', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ name: `${i % 5}/${i}` }))
  const sized = (...sizes: number[]) =>
    sizes.map((bytes, i) => ({ name: `${i}`, content: Buffer.alloc(bytes) }))

  for (const [what, unpackAll] of [
    ['zip', unpackZip],
    ['tar', unpackTar],
  ] as const) {
    test(`a file in a ${what} of the limit, not one byte more`, async () => {
      expect((await unpackAll(sized(1_000_000))).unwantedBytes).toBe(0)
      const error = await refusal(unpackAll(sized(1, 1_000_001)))
      expect(error).toMatchObject({ reason: 'too-large' })
      expect(error.message).toStartWith('"1" is larger than')
    })
    test(`a site in a ${what} of the limit, not one byte more`, async () => {
      expect((await unpackAll(sized(1_000_000, 1_000_000, 500_000))).unwantedBytes).toBe(0)
      const error = await refusal(unpackAll(sized(1_000_000, 1_000_000, 500_001)))
      expect(error).toMatchObject({ reason: 'too-large' })
      expect(error.message).toStartWith('This site is larger than')
    })
  }
  test('files of the limit that every upload has', async () => {
    expect((await refusal(unpackTar(many(1001)))).message).toContain('at most 1,000 files')
  })
  test('an archive that is larger itself', async () => {
    const error = await refusal(unpack('a.tar', Buffer.alloc(2_500_001 + 16 * 1024 * 1024)))
    expect(error).toMatchObject({ reason: 'too-large' })
  })
})

test('an archive with any byte changed is refused or read, and never anything else', async () => {
  const files = [
    { name: 'a/b.txt', content: 'hello '.repeat(20) },
    { name: 'a/c.txt', content: 'x' },
  ]
  const archives: [string, Buffer][] = [
    ['a.zip', zipOf(files)],
    ['b.zip', zipOf(files.map((file) => ({ ...file, isZip64: true })))],
    ['a.tar', tarOf([paxOf({ path: 'a/ü' }), ...files])],
    ['a.tgz', gzipSync(tarOf(files))],
  ]
  const change = fc.tuple(
    fc.constantFrom(...archives),
    fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 }),
  )
  await fc.assert(
    fc.asyncProperty(change, async ([[name, bytes], changes]) => {
      const copy = Buffer.from(bytes)
      for (const [at, byte] of changes) copy[at % copy.length] = byte
      await unpack(name, copy).catch((error) => expect(error).toBeInstanceOf(UploadRefusedError))
    }),
    { numRuns: 150, seed: 1 },
  )
})
