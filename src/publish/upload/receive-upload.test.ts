import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SiteLimits } from '#site/limits.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { zipOf } from '#tests/support/hostile/archives.ts'
import { type ReceivedUpload, receiveUpload } from './receive-upload.ts'
import { Spool } from './spool.ts'

let dir: string
let spool: Spool
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'receive-'))
  spool = new Spool(dir)
})
afterAll(() => rm(dir, { recursive: true }))

type File = readonly [path: string, content?: string]
const limits = { fileBytesMax: 100, siteBytesMax: 250, siteFilesMax: 1000 }

function part(disposition: string, content: string): string {
  return `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
}
const site = part('name="siteName"', 'blog')
const fileParts = (files: readonly File[]): string =>
  files.map(([path, content = 'x']) => part(`name="files"; filename="${path}"`, content)).join('')
const form = (files: readonly File[]): string => `${site}${fileParts(files)}--b--`

const zip = zipOf([{ name: 'x/a', content: 'one' }, { name: 'x/.env' }]).toString('latin1')
const archive = (content: string): string => part('name="archive"; filename="a.zip"', content)

/** Receives a body in one piece or in several, and tells what lies in the spool then. */
async function receive(
  body: string | readonly string[],
  options: { onSiteName?: (name: string) => Promise<void>; limits?: SiteLimits } = {},
): Promise<ReceivedUpload & { contents: string[]; unwantedBytes: number }> {
  const jobId = crypto.randomUUID()
  await using folder = await spool.open(jobId)
  const pieces = typeof body === 'string' ? [body] : body
  try {
    const received = await receiveUpload({
      body: chunksOf(pieces),
      contentType: 'multipart/form-data; boundary=b',
      folder,
      limits,
      ...options,
    })
    const contents = received.files.map((file) => folder.blob(file).text())
    const wantedBytes = received.files.reduce((sum, { bytes }) => sum + bytes, 0)
    const unwantedBytes = (await folder.bytesOnDisk()) - wantedBytes
    return { ...received, contents: await Promise.all(contents), unwantedBytes }
  } finally {
    await spool.remove(jobId)
  }
}

async function* chunksOf(pieces: readonly string[]): AsyncGenerator<Uint8Array> {
  // Archives are written as latin1 where there is nothing else in the body.
  const isBinary = pieces.some((piece) => piece.includes('PK\x03\x04'))
  for (const piece of pieces) yield Buffer.from(piece, isBinary ? 'latin1' : 'utf8')
}

const pathsOf = (received: ReceivedUpload): string[] => received.files.map(({ path }) => path)

async function refusal(
  body: string | readonly string[],
  larger?: SiteLimits,
): Promise<UploadRefusedError> {
  const error: unknown = await receive(body, larger && { limits: larger }).then(
    () => 'accepted',
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(UploadRefusedError)
  return error as UploadRefusedError
}

test('files arrive in their order, with their content, and nothing else is spooled', async () => {
  const received = await receive(
    form([
      ['b.txt', 'two'],
      ['a/c.txt', ''],
      ['a.txt', 'three'],
    ]),
  )
  expect(pathsOf(received)).toEqual(['b.txt', 'a/c.txt', 'a.txt'])
  expect(received).toMatchObject({
    siteName: 'blog',
    contents: ['two', '', 'three'],
    unwantedBytes: 0,
    isEmpty: false,
    skippedFiles: [],
  })
  expect(received.files[0]).toMatchObject({
    bytes: 3,
    sha256: new Bun.CryptoHasher('sha256').update('two').digest('hex'),
  })
})

test('an upload byte by byte is the same upload', async () => {
  const body = form([
    ['b.txt', 'two'],
    ['a/c.txt', ''],
  ])
  expect((await receive([...body])).contents).toEqual(['two', ''])
})

describe('a folder that holds everything is not part of the paths', () => {
  const facts: [string, string[], string[]][] = [
    ['is stripped', ['site/a', 'site/b/c'], ['a', 'b/c']],
    ['only once', ['x/x/a', 'x/x/b'], ['x/a', 'x/b']],
    ['not when a file is outside', ['site/a', 'b'], ['site/a', 'b']],
    ['after what is left out', ['site/a', '.DS_Store'], ['a']],
    ['of a single file', ['site/index.html'], ['index.html']],
  ]
  for (const [fact, sent, kept] of facts) {
    test(fact, async () => {
      expect(pathsOf(await receive(form(sent.map((path) => [path]))))).toEqual(kept)
    })
  }
})

test('names are kept byte for byte', async () => {
  const names = ['ü 日本.html', '100%.html', 'a#b?c', "it's", '__proto__', '..a', 'a%2fb']
  expect(pathsOf(await receive(form(names.map((name) => [name]))))).toEqual(names)
})

describe('what is left out is listed and never written', () => {
  test('next to files that stay', async () => {
    const out = ['x/.env', 'x/.git/config', 'x/node_modules/a/b.js', 'x/.DS_Store'] as const
    const files: File[] = [['x/a.html'], ...out.map((path): File => [path, 'secret'])]
    const received = await receive(form(files))
    expect(pathsOf(received)).toEqual(['a.html'])
    expect(received.unwantedBytes).toBe(0)
    expect(received.skippedFiles.map(({ name }) => name)).toEqual([...out])
    expect(received.skippedFiles[0]?.reason).toBe('may hold secrets')
  })
  test('however large it is', async () => {
    const received = await receive(form([['a'], ['.env', 'x'.repeat(1000)]]))
    expect(received.unwantedBytes).toBe(0)
  })
  test('it may be folder and file at once, and counts to no limit of files', async () => {
    const files: File[] = Array.from({ length: 1200 }, (_, i) => [`node_modules/${i}`, ''])
    const received = await receive(form([['node_modules', ''], ['index.html', ''], ...files]))
    expect(received.skippedFiles).toHaveLength(1201)
    expect(pathsOf(received)).toEqual(['index.html'])
  })
  test('nothing but that is refused', async () => {
    const error = await refusal(form([['.env'], ['.git/config']]))
    expect(error).toMatchObject({ reason: 'invalid' })
    expect(error.message).toContain('Nothing was published')
  })
})

describe('what .sitehostignore matches is left out', () => {
  const ignore = (text: string, folder = 'x/'): File => [`${folder}.sitehostignore`, text]
  const drafts: File[] = [
    ['x/drafts/a', 'secret'],
    ['x/b', 'kept'],
    ['x/drafts/c', 'secret'],
  ]
  for (const at of [0, 1, 2, 3]) {
    test(`with ${at} files before it`, async () => {
      const files = [...drafts.slice(0, at), ignore('/drafts/'), ...drafts.slice(at)]
      const received = await receive(form(files))
      expect(pathsOf(received)).toEqual(['b'])
      expect(received.contents).toEqual(['kept'])
      expect(received.skippedFiles).toEqual([
        { name: 'x/drafts/a', reason: '.sitehostignore' },
        { name: 'x/drafts/c', reason: '.sitehostignore' },
      ])
    })
  }
  test('next to loose files, too', async () => {
    const received = await receive(form([['drafts/a'], ignore('drafts', ''), ['b/c']]))
    expect(pathsOf(received)).toEqual(['b/c'])
  })
  test('it is removed before it counts to any limit', async () => {
    const many = Array.from({ length: 1010 }, (_, i): File => [`x/${i}.log`, ''])
    const received = await receive(form([ignore('*.log'), ['x/a', 'a'.repeat(100)], ...many]))
    expect(pathsOf(received)).toEqual(['a'])
    const large = [1, 2].map((i): File => [`x/${i}.log`, 'x'.repeat(100)])
    const after = form([
      ...large,
      ignore('*.log'),
      ...['a', 'b'].map((n): File => [`x/${n}`, 'x'.repeat(100)]),
    ])
    expect(pathsOf(await receive(after))).toEqual(['a', 'b'])
  })
  test('1000 files and the rules are a site', async () => {
    const many = Array.from({ length: 1000 }, (_, i): File => [`x/${i % 4}/${i}`, ''])
    expect((await receive(form([ignore('none'), ...many]))).files).toHaveLength(1000)
  })
  test('a file that is left out may be what is a folder otherwise', async () => {
    const received = await receive(
      form([['x/a'], ignore('a\n!/b/a'), ['x/b/c'], ['x/c/a'], ['x/c/a/d']]),
    )
    expect(pathsOf(received)).toEqual(['b/c'])
  })
  test('its folder may be a file after all', async () => {
    const received = await receive(form([['x/a/b'], ignore('b'), ['x/a'], ['x/z']]))
    expect(pathsOf(received)).toEqual(['a', 'z'])
  })
  test('invalid lines are reported', async () => {
    const { skippedFiles } = await receive(form([['x/a'], ignore('#\nb['), ['x/b']]))
    expect(skippedFiles).toEqual([
      { name: 'x/.sitehostignore', reason: 'line 2: has a [ without its ]' },
    ])
  })
  test('not by rules in another folder', async () => {
    const files: File[] = [['x/a'], ['index.html'], ignore('*')]
    expect(pathsOf(await receive(form(files)))).toEqual(['x/a', 'index.html', 'x/.sitehostignore'])
    const early: File[] = [ignore('none'), ['x/a'], ['index.html']]
    expect(pathsOf(await receive(form(early)))).toEqual(['x/.sitehostignore', 'x/a', 'index.html'])
  })
  test('rules that turn out to be another folder’s are refused once they have left out a file', async () => {
    const { message } = await refusal(form([ignore('a'), ['x/a'], ['index.html']]))
    expect(message).toContain('"index.html" is not in the folder of "x/.sitehostignore"')
  })
  test('nothing but that is refused', async () => {
    expect((await refusal(form([ignore('*'), ['x/a']]))).message).toContain('Nothing was published')
    expect((await refusal(form([ignore('*')]))).message).toContain('Nothing was published')
  })
  test('rules that take too long are refused', async () => {
    const slow = `*${'a'.repeat(125)}b*\n`.repeat(60)
    const many = Array.from({ length: 200 }, (_, i): File => [`x/${'a'.repeat(251)}${i}`, ''])
    const roomy = { fileBytesMax: 10_000, siteBytesMax: 10_000 }
    const { message } = await refusal(form([ignore(slow), ...many]), roomy)
    expect(message).toContain('take too long')
  })
})

describe('a sitehost.json', () => {
  const siteFile = (text: string, folder = 'x/'): File => [`${folder}sitehost.json`, text]
  const text = '{ "settings": { "cleanUrls": true }, "ignore": ["*.psd"] }'

  for (const at of [0, 1, 2]) {
    test(`is obeyed and not published, with ${at} files before it`, async () => {
      const others: File[] = [
        ['x/a.psd', 'large'],
        ['x/b', 'kept'],
      ]
      const files = [...others.slice(0, at), siteFile(text), ...others.slice(at)]
      const received = await receive(form(files))
      expect(pathsOf(received)).toEqual(['b'])
      expect(received.settings).toEqual({ $type: 'place.sitehost.settings', cleanUrls: true })
      expect(received.skippedFiles).toEqual([{ name: 'x/a.psd', reason: 'sitehost.json' }])
    })
  }

  test('works together with .sitehostignore', async () => {
    const ignore: File = ['x/.sitehostignore', '*.log']
    const received = await receive(
      form([['x/a.psd'], ignore, siteFile(text), ['x/b.log'], ['x/c']]),
    )
    expect(pathsOf(received)).toEqual(['c'])
  })

  test('of another folder is a file like any other', async () => {
    const received = await receive(form([siteFile('not JSON', 'x/y/'), ['x/a']]))
    expect(pathsOf(received)).toEqual(['y/sitehost.json', 'a'])
    const late = await receive(form([['x/a'], siteFile('{}'), ['b']]))
    expect([pathsOf(late), late.settings]).toEqual([['x/a', 'x/sitehost.json', 'b'], null])
  })

  test('that cannot be read is refused by its line and column', async () => {
    const { message } = await refusal(form([siteFile('{\n  "ignored": []\n}'), ['x/a']]))
    expect(message).toBe('sitehost.json, line 2, column 14: ignored: there is no field "ignored".')
  })
})

test('an archive is unpacked, and is not in the spool itself', async () => {
  const received = await receive(`${site}${archive(zip)}--b--`)
  expect(pathsOf(received)).toEqual(['a'])
  expect(received).toMatchObject({ contents: ['one'], unwantedBytes: 0, isEmpty: false })
  expect(received.skippedFiles).toEqual([{ name: 'x/.env', reason: 'may hold secrets' }])
})

describe('earlier versions are retained', () => {
  for (const [fields, retain] of [
    ['', true],
    [part('name="retain"', 'true'), true],
    [part('name="retain"', 'false'), false],
  ] as const) {
    test(`${fields === '' ? 'when nothing is said' : `when retain is ${retain}`}: ${retain}`, async () => {
      expect((await receive(`${site}${fields}${fileParts([['a']])}--b--`)).retain).toBe(retain)
      expect((await receive(`${site}${fileParts([['a']])}${fields}--b--`)).retain).toBe(retain)
    })
  }
})

describe('is empty', () => {
  const nameless = part('name="files"; filename=""', '')
  for (const [what, body] of [
    ['without a file', `${site}--b--`],
    ['with an empty file input', `${site}${nameless}--b--`],
    ['with an empty file input before the name', `${nameless}${site}--b--`],
    ['with an empty archive input', `${site}${part('name="archive"; filename=""', '')}--b--`],
    ['with other fields', `${site}${part('name="note"; filename="a.txt"', 'x')}--b--`],
  ] as const) {
    test(what, async () => {
      expect(await receive(body)).toMatchObject({ isEmpty: true, files: [] })
    })
  }
})

describe('refused as invalid, by a message that says what', () => {
  const facts: [string, string, string][] = [
    ['no siteName', '--b--', 'siteName'],
    ['a strange retain', `${site}${part('name="retain"', 'no')}--b--`, 'retain must be'],
    ['an empty siteName', `${part('name="siteName"', '')}--b--`, 'siteName must be'],
    ['a bad siteName', `${part('name="siteName"', '..')}--b--`, 'siteName must be'],
    ['a long siteName', `${part('name="siteName"', 'x'.repeat(70_000))}--b--`, '65536 bytes'],
    ['a second siteName', `${site}${site}--b--`, 'siteName is there twice'],
    ['siteName after the files', `${fileParts([['a']])}${site}--b--`, 'must come before'],
    ['a bad archive', `${site}${archive('PK')}--b--`, 'complete zip'],
    ['an archive before the name', `${archive('PK')}${site}--b--`, 'must come before'],
    ['an archive without a name', `${site}${part('name="archive"', 'PK')}--b--`, 'without a name'],
    ['files and an archive', `${site}${fileParts([['a']])}${archive(zip)}--b--`, 'either files or'],
    ['an archive and files', `${site}${archive(zip)}${fileParts([['b']])}--b--`, 'either files or'],
    ['two archives', `${site}${archive(zip)}${archive(zip)}--b--`, 'one archive'],
    ['a file without a name', form([['', 'x']]), 'without a name'],
    ['files as a text field', `${site}${part('name="files"', 'x')}--b--`, 'without a name'],
    ['an absolute path', form([['/etc/passwd']]), '"/etc/passwd": absolute'],
    ['a parent folder', form([['../../x']]), '"../../x": dot segment'],
    ['a dot segment', form([['a/./b']]), '"a/./b": dot segment'],
    ['an empty segment', form([['a//b']]), '"a//b": empty segment'],
    ['a trailing slash', form([['a/']]), '"a/": empty segment'],
    ['a backslash', form([['a\\b']]), '"a\\\\b": backslash'],
    ['a tab', form([['a\tb']]), '"a\\tb": control character'],
    ['NUL', form([['a\0']]), 'Not a complete form'],
    ['a segment of 256 bytes', form([['ü'.repeat(128)]]), 'over 255 bytes'],
    ['the same path twice', form([['a/b'], ['a/b']]), '"a/b" is there twice'],
    ['a file that is a folder', form([['r/a'], ['r/a/b/c']]), '"r/a" is both'],
    ['a folder that is a file', form([['r/a/b/c'], ['r/a']]), '"r/a" is both'],
    ['33 folders deep', form([['index.html'], [`${'d/'.repeat(33)}x`]]), 'more than 32'],
    ['no form', 'hello', 'Not a complete form'],
  ]
  for (const [what, body, message] of facts) {
    test(what, async () => {
      const error = await refusal(body)
      expect(error.reason).toBe('invalid')
      expect(error.message).toContain(message)
    })
  }
})

describe('limits, from both sides', () => {
  const many = (count: number): File[] =>
    Array.from({ length: count }, (_, i) => [`${i % 4}/${i}`, ''])
  test('1000 files', async () => {
    expect((await receive(form(many(1000)))).files).toHaveLength(1000)
  })
  test('1001 files', async () => {
    expect(await refusal(form(many(1001)))).toMatchObject({ reason: 'too-large' })
  })
  test('others have their turn while thousands of parts arrive in one piece', async () => {
    let turns = 0
    let isOver = false
    const others = (async () => {
      for (; !isOver; turns++) await Bun.sleep(0)
    })()
    await receive(`${site}${part('name="x"', '').repeat(4_900)}--b--`)
    isOver = true
    await others
    expect(turns).toBeGreaterThan(3)
  })
  test('a file of exactly the limit', async () => {
    expect((await receive(form([['a', 'x'.repeat(100)]]))).contents[0]).toHaveLength(100)
  })
  test('a file of one byte more', async () => {
    const error = await refusal(
      form([
        ['ok', 'x'],
        ['big.bin', 'x'.repeat(101)],
      ]),
    )
    expect(error).toMatchObject({ reason: 'too-large' })
    expect(error.message).toStartWith('"big.bin" is larger than')
  })
  test('a site of exactly the limit, however it is cut', async () => {
    const files: File[] = [
      ['a', 'x'.repeat(100)],
      ['b', 'x'.repeat(100)],
      ['c', 'x'.repeat(50)],
    ]
    expect((await receive(form(files))).files).toHaveLength(3)
    expect((await receive(form([...files, ['d', '']]))).files).toHaveLength(4)
  })
  test('a site of one byte more', async () => {
    const files: File[] = [
      ['a', 'x'.repeat(100)],
      ['b', 'x'.repeat(100)],
      ['c', 'x'.repeat(51)],
    ]
    const error = await refusal(form(files))
    expect(error).toMatchObject({ reason: 'too-large' })
    expect(error.message).toStartWith('This site is larger than')
  })
})

describe('what the names alone tell is refused before the body is read on', () => {
  const endless = async function* (start: string) {
    yield Buffer.from(start)
    for (;;) yield Buffer.alloc(65_536)
  }
  const open = '--b\r\nContent-Disposition: form-data; name="files"; filename='
  for (const [what, start] of [
    ['a bad path', `${site}${open}"../x"\r\n\r\n`],
    ['a file that is a folder', `${site}${fileParts([['a']])}${open}"a/b"\r\n\r\n`],
    ['a file over the limit', `${site}${open}"a"\r\n\r\n`],
    ['siteName missing', `${open}"a"\r\n\r\n`],
    ['no boundary at all', 'x'],
  ] as const) {
    test(what, async () => {
      const jobId = crypto.randomUUID()
      await using folder = await spool.open(jobId)
      const receiving = receiveUpload({
        body: endless(start),
        contentType: 'multipart/form-data; boundary=b',
        folder,
        limits,
      })
      await expect(receiving).rejects.toBeInstanceOf(UploadRefusedError)
      await spool.remove(jobId)
    })
  }
})

test('an upload that breaks off in a file ends', async () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(form([['a', 'x'.repeat(90)]]).slice(0, -20)))
    },
    pull(controller) {
      controller.error(new Error('connection reset'))
    },
  })
  await using folder = await spool.open(crypto.randomUUID())
  const receiving = receiveUpload({
    body,
    contentType: 'multipart/form-data; boundary=b',
    folder,
    limits,
  })
  await expect(receiving).rejects.toThrow('broke off')
})

test('the name is passed on before any file is read, and its refusal ends the upload', async () => {
  const refused = new Error('published already')
  const receiving = receive(form([['a']]), { onSiteName: () => Promise.reject(refused) })
  await expect(receiving).rejects.toBe(refused)
})
