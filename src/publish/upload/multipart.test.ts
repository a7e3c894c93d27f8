import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type FormPart, MultipartError, PartsLimitError, readMultipart } from './multipart.ts'

const formType = 'multipart/form-data; boundary=b'
const limits = { partsMax: 10 }

/** What a form's parts are: `[name, filename, content]` each. */
async function read(
  body: string | AsyncIterable<Uint8Array>,
  contentType = formType,
): Promise<[string, string | null, string][]> {
  const parts: [string, string | null, string][] = []
  const source = typeof body === 'string' ? chunksOf(body) : body
  for await (const part of readMultipart(source, contentType, limits)) {
    parts.push([part.name, part.filename, await textOf(part)])
  }
  return parts
}

async function* chunksOf(body: string | Buffer, size = body.length || 1) {
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(part: FormPart): Promise<string> {
  return Buffer.concat(await Array.fromAsync(part.content)).toString('latin1')
}

const part = (disposition: string, content = 'x') =>
  `--b\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
const file = (filename: string) => `${part(`name="files"; filename="${filename}"`)}--b--`

test('parts come in order, with a preamble, an epilogue and headers nobody asked for', async () => {
  const headers = 'X-Other: 1\r\ncontent-disposition:form-data; name=a\r\nContent-Type: text/plain'
  const body = `preamble\r\n--b\r\n${headers}\r\n\r\n1\r\n${part('name="b"; filename="f"', '')}--b--\r\nepilogue`
  expect(await read(body)).toEqual([
    ['a', null, '1'],
    ['b', 'f', ''],
  ])
})

test('a form without parts, and one without the last line break', async () => {
  expect(await read('--b--')).toEqual([])
  expect(await read(`${part('name="a"')}--b--`)).toEqual([['a', null, 'x']])
})

describe('a file name is what was sent', () => {
  for (const name of [
    'a b.html',
    'dir/ü–日本.html',
    '100%.html',
    'a%2fb',
    'a#b?c;d=e.html',
    '../../x',
    '/etc/passwd',
    'a\\b',
    'C:\\site\\index.html',
    'ends with\\',
    "it's",
    '%22quoted%22',
    '__proto__',
    '',
  ]) {
    test(JSON.stringify(name), async () => expect((await read(file(name)))[0]?.[1]).toBe(name))
  }
  test('a quote, as command line tools escape it', async () => {
    expect((await read(file('say \\"hi\\".html')))[0]?.[1]).toBe('say "hi".html')
  })
  test('without quotes, and after other parameters', async () => {
    const [found] = await read(`${part('filename*=utf-8xx; name=files ; filename=a.html')}--b--`)
    expect(found).toEqual(['files', 'a.html', 'x'])
  })
})

describe('boundaries', () => {
  for (const [contentType, boundary] of [
    ['multipart/form-data; boundary=b', 'b'],
    ['Multipart/Form-Data; charset=utf-8; Boundary="a b:?"', 'a b:?'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ] as const) {
    test(contentType, async () => {
      const body = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--`
      expect(await read(body, contentType)).toEqual([['a', null, '1']])
    })
  }
  test('what only looks like one is content', async () => {
    const content = '\r\n--\r\n-\r\n--\rb\r\n\r\n--c'
    expect(await read(`${part('name="a"', content)}--b--`)).toEqual([['a', null, content]])
  })
})

describe('is no form', () => {
  const refused: [string, string, string?][] = [
    ['an empty body', ''],
    ['no boundary in the body', 'hello'],
    ['a body that ends inside a header', '--b\r\nContent-Dispo'],
    ['a body that ends inside a part', part('name="a"').slice(0, -1)],
    ['a body that ends before the last boundary', part('name="a"')],
    ['a boundary with something behind it', `--bc\r\n${part('name="a"')}--b--`],
    ['a part without headers', '--b\r\n\r\nx\r\n--b--'],
    ['a part without a name', `${part('filename="a"')}--b--`],
    ['a part of another disposition', '--b\r\nContent-Disposition: attachment\r\n\r\nx\r\n--b--'],
    ['a name with a bare line break', file('a\nb')],
    ['a name with NUL', file('a\0b')],
    ['headers of 16 KB and more', file('a'.repeat(16 * 1024))],
    ['a preamble without an end', `${'x'.repeat(70_000)}${file('a')}`],
    ['a content type without a boundary', '--b--', 'multipart/form-data'],
    ['a boundary over 70 characters', '--b--', `multipart/form-data; boundary=${'b'.repeat(71)}`],
    ['another content type', '--b--', 'multipart/mixed; boundary=b'],
    ['no content type', '--b--', ''],
  ]
  for (const [what, body, contentType] of refused) {
    test(what, async () => {
      await expect(read(body, contentType)).rejects.toBeInstanceOf(MultipartError)
    })
  }
  test('a name that is not UTF-8', async () => {
    const body = Buffer.from(file('\xff'), 'latin1')
    await expect(read(chunksOf(body))).rejects.toBeInstanceOf(MultipartError)
  })
  test('a body that breaks off', async () => {
    async function* broken() {
      yield Buffer.from(part('name="a"'))
      throw new Error('connection reset')
    }
    await expect(read(broken())).rejects.toThrow('broke off')
  })
})

test('parts up to the limit and not one more', async () => {
  expect(await read(`${part('name="a"').repeat(10)}--b--`)).toHaveLength(10)
  await expect(read(`${part('name="a"').repeat(11)}--b--`)).rejects.toBeInstanceOf(PartsLimitError)
})

test('what is left unread of a part is skipped', async () => {
  const names: string[] = []
  const body = `${part('name="a"', 'long '.repeat(50))}${part('name="b"')}--b--`
  for await (const found of readMultipart(chunksOf(body, 7), formType, limits)) {
    names.push(found.name)
    if (found.name === 'a') for await (const _ of found.content) break
  }
  expect(names).toEqual(['a', 'b'])
})

test('nothing is read ahead of the part that is asked for', async () => {
  let readChunks = 0
  async function* counting() {
    for await (const chunk of chunksOf(`${part('name="a"').repeat(9)}--b--`, 8)) {
      readChunks += 1
      yield chunk
    }
  }
  await using parts = readMultipart(counting(), formType, limits)
  await parts.next()
  expect(readChunks).toBeLessThan(10)
})

test('a reader that gives up ends the body', async () => {
  let isCancelled = false
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from(part('name="a"'))),
    cancel: () => {
      isCancelled = true
    },
  })
  for await (const _ of readMultipart(body, formType, limits)) break
  expect(isCancelled).toBe(true)
})

test('contents survive any cut into chunks', async () => {
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
  const tricky = fc
    .array(fc.constantFrom('\r', '\n', '-', '--b', '\r\n--', 'b', 'x'))
    .map((t) => t.join(''))
  const content = fc.oneof(
    bytes,
    tricky.map((text) => Buffer.from(text)),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { maxLength: 8 }),
      fc.integer({ min: 1, max: 90 }),
      async (contents, size) => {
        fc.pre(
          contents.every(
            (bytes) =>
              !bytes.includes('\r\n--b') && !bytes.subarray(0, 3).equals(Buffer.from('--b')),
          ),
        )
        const body = Buffer.concat([
          ...contents.flatMap((bytes) => [
            Buffer.from(part('name="a"', '\0')).subarray(0, -3),
            bytes,
            Buffer.from('\r\n'),
          ]),
          Buffer.from('--b--\r\n'),
        ])
        const found = await read(chunksOf(body, size))
        expect(found.map(([, , text]) => text)).toEqual(
          contents.map((bytes) => bytes.toString('latin1')),
        )
      },
    ),
    { numRuns: 200 },
  )
})
