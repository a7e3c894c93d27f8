import { describe, expect, test } from 'bun:test'
import { boundedJson, JsonLimitError, parseBoundedJson, parsePiece, scanJson } from './json-scan.ts'

const limits = { bytesMax: 1_000_000, valuesMax: 1_000, namesMax: 100 }
const parse = (text: string) => parseBoundedJson(Buffer.from(text), limits)
const named = (count: number) =>
  `{${Array.from({ length: count }, (_, n) => `"n${n}":0`).join(',')}}`

test('JSON within the limits is unchanged', async () => {
  const value = { text: 'a "quoted" \\ [,{:} text', list: [1, { a: null }], é: '日本' }
  expect(await parse(JSON.stringify(value))).toEqual(value)
  expect(await parse(`\uFEFF ${JSON.stringify(value)} `)).toEqual(value)
  const answer = new Response(JSON.stringify(value), { status: 201, headers: { 'x-a': 'b' } })
  const same = await boundedJson(answer, limits)
  expect([same.status, same.headers.get('x-a'), await same.json()]).toEqual([201, 'b', value])
})

const atLimit: [string, string][] = [
  ['values of a list', `[${'0,'.repeat(999)}0]`],
  ['names', named(100)],
  ['the same name again and again', `[${'{"a":0},'.repeat(400)}{"a":0}]`],
  ['brackets and colons in a string', JSON.stringify('[,{:"\\'.repeat(2_000))],
]
test.each(atLimit)('as many as may be: %s', async (_, text) => {
  expect(await parse(text)).toEqual(JSON.parse(text))
})

const beyond: [string, string, string][] = [
  ['one value more', 'values', `[${'0,'.repeat(1_000)}0]`],
  ['lists in lists', 'values', '['.repeat(500_000)],
  ['empty objects', 'values', `[${'{},'.repeat(600)}{}]`],
  ['behind a string that ends in a backslash', 'values', `["\\\\",${'[],'.repeat(600)}[]]`],
  ['one name more', 'names', named(101)],
  ['names far apart', 'names', `[${Array.from({ length: 101 }, (_, n) => `{"${n}" : 0}`)}]`],
  ['bytes', 'bytes', JSON.stringify('x'.repeat(1_000_000))],
]
test.each(beyond)('is never parsed: %s', async (_, limit, text) => {
  const error = await parse(text).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(JsonLimitError)
  expect(error).toHaveProperty('limit', limit)
})

test.each(['', '{', '"', '[1,]', '{"a":1}}', 'yes'])('%j is no JSON', async (text) => {
  await expect(parse(text)).rejects.toBeInstanceOf(SyntaxError)
})

describe('deep values are cut out', () => {
  const cut = async (text: string, depth: number, outerBytesMax = 1_000) => {
    const { outer, inner } = await scanJson(Buffer.from(text), { depth, outerBytesMax })
    return [parsePiece(outer, limits), ...inner.map((piece) => parsePiece(piece, limits))]
  }
  test('in its order, whatever it holds', async () => {
    const text = '{"a":{"b":[1,{"c":"]"}]},"d":[],"e":5}'
    expect(await cut(text, 1)).toEqual([{ a: [0], d: [1], e: 5 }, { b: [1, { c: ']' }] }, []])
    expect(await cut(text, 0)).toEqual([[0], JSON.parse(text)])
    expect(await cut(text, 9)).toEqual([JSON.parse(text)])
  })
  test('and counted apart', async () => {
    const text = `{"few":[1,2],"many":${named(50)}}`
    const { outer, inner } = await scanJson(Buffer.from(text), { depth: 1, outerBytesMax: 100 })
    expect([outer, ...inner].map(({ values, names }) => [values, names])).toEqual([
      [2, 2],
      [2, 0],
      [50, 50],
    ])
  })
  test('of the rest only so much is read', async () => {
    await expect(cut(`{"a":"${'x'.repeat(1_000)}"}`, 1)).rejects.toBeInstanceOf(JsonLimitError)
    await expect(cut(`[${'[],'.repeat(1_000)}[]]`, 1)).rejects.toBeInstanceOf(JsonLimitError)
  })
  test('a string that ends in it is not JSON', async () => {
    await expect(cut('{"a":[1', 1)).rejects.toBeInstanceOf(SyntaxError)
    await expect(cut('{"a":[1]', 1)).rejects.toBeInstanceOf(SyntaxError)
  })
})

test('yields to other work while it reads a large answer', async () => {
  let turns = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turns++) await Bun.sleep(0)
  })()
  const options = { depth: 1, outerBytesMax: 1_000 }
  await scanJson(Buffer.from(`{"a":[${'"x",'.repeat(10_000_000)}0]}`), options)
  isOver = true
  await others
  expect(turns).toBeGreaterThan(3)
})
