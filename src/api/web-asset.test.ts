import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { assetAnswer, codedText, makeWebAsset } from './web-asset.ts'

const text = 'words and words, and more words of them. '.repeat(100)
const script = await makeWebAsset(text, { contentType: 'text/javascript', isImmutable: true })
const page = await makeWebAsset(text, { contentType: 'text/html; charset=utf-8' })
const picture = await makeWebAsset(new Uint8Array(2000), { contentType: 'image/png' })
const short = await makeWebAsset('go()', { contentType: 'text/javascript' })

const fieldsOf = ({ headers }: Response, ...names: string[]) =>
  names.map((name) => headers.get(name))
const ask = (fields: Record<string, string>, asset = script, status?: 200 | 404) =>
  assetAnswer(asset, new Headers(fields), status)

describe('the coding is the one that the client prefers', () => {
  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['gzip, br;q=0.5', 'gzip'],
    ['br;q=0, *', 'gzip'],
    ['identity', null],
    ['', null],
    ['zstd', null],
    ['gzip;q=0, br;q=0', null],
  ])('%p: %p', async (accepted, coding) => {
    const answer = await ask({ 'accept-encoding': accepted })
    expect(fieldsOf(answer, 'content-encoding', 'vary')).toEqual([coding, 'Accept-Encoding'])
    const bytes = await answer.bytes()
    const decoded =
      coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
    expect(new TextDecoder().decode(decoded)).toBe(text)
  })

  test('without the header it is none', async () => {
    expect(await (await ask({})).text()).toBe(text)
  })

  test.each([
    ['compressed by design', picture],
    ['too short to become smaller', short],
  ])('what is %s has one form', async (_, asset) => {
    const answer = await ask({ 'accept-encoding': 'br' }, asset)
    expect(fieldsOf(answer, 'content-encoding', 'vary')).toEqual([null, null])
  })
})

const tagOf = async (accepted: string, asset = script) =>
  (await ask({ 'accept-encoding': accepted }, asset)).headers.get('etag') ?? ''

const gzipTag = await tagOf('gzip')

describe('conditions', () => {
  test('each form has a strong tag of its own, which follows from the content', async () => {
    const tags = await Promise.all(['br', 'gzip', 'identity'].map((coding) => tagOf(coding)))
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/)
    expect(await tagOf('br', page)).toBe(await tagOf('br', script))
    const other = await makeWebAsset(`${text}!`, { contentType: page.contentType })
    expect(await tagOf('br', other)).not.toBe(await tagOf('br', script))
  })

  test('who has it gets 304 with what a 200 would say about keeping it, and no body', async () => {
    const known = `"x", W/${await tagOf('br')}`
    const answer = await ask({ 'accept-encoding': 'br', 'if-none-match': known })
    expect([answer.status, answer.body]).toEqual([304, null])
    expect(fieldsOf(answer, 'etag', 'vary', 'cache-control', 'content-encoding')).toEqual([
      ...[await tagOf('br'), 'Accept-Encoding', 'public, max-age=31536000, immutable', null],
    ])
  })

  test.each([
    ['another form', { 'if-none-match': gzipTag }, 200],
    ['no form', { 'if-none-match': '"x"' }, 200],
    ['a time, of which an asset has none', { 'if-modified-since': new Date().toUTCString() }, 200],
    ['another form, as a must', { 'if-match': gzipTag }, 412],
  ])('%s: %p is %p', async (_, fields, status) => {
    const answer = await ask({ 'accept-encoding': 'br', ...(fields as object) })
    expect(answer.status).toBe(status)
  })

  test('a page in place of a missing one is never known already', async () => {
    const answer = await ask({ 'if-none-match': '*' }, page, 404)
    expect([answer.status, answer.headers.get('etag')]).toEqual([404, null])
  })
})

test('what is compressed later is sent in the same forms', async () => {
  const later = await makeWebAsset(text, { contentType: 'text/javascript', isCodedLater: true })
  const answer = await ask({ 'accept-encoding': 'br' }, later)
  expect(fieldsOf(answer, 'content-encoding', 'etag')).toEqual(['br', await tagOf('br')])
})

test('a name that changes with its content is kept for a year, others are asked for again', async () => {
  expect(fieldsOf(await ask({}, page), 'cache-control', 'content-type')).toEqual([
    ...['no-cache', 'text/html; charset=utf-8'],
  ])
})

test('what was compressed when the program was built is not compressed again', async () => {
  const coded = new Map([['gzip', Buffer.from('made before')]] as const)
  const known = await makeWebAsset(text, { contentType: 'text/javascript', coded })
  const answer = await assetAnswer(known, new Headers({ 'accept-encoding': 'br, gzip' }))
  expect(await answer.text()).toBe('made before')
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect([...(await codedText(Buffer.from(text))).keys()]).toEqual(['br', 'gzip'])
})
