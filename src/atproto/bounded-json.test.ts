import { describe, expect, test } from 'bun:test'
import { boundedJson, JsonValuesError, jsonValuesMax } from './bounded-json.ts'

/** In pieces of odd lengths. */
function answer(text: string): Response {
  const bytes = Buffer.from(text)
  const pieces = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let start = 0; start < bytes.length; start += 99_991) {
        controller.enqueue(bytes.subarray(start, start + 99_991))
      }
      controller.close()
    },
  })
  return boundedJson(new Response(pieces, { status: 201, headers: { 'x-a': 'b' } }))
}

test('status, fields and content are the same', async () => {
  const value = { text: 'a "quoted" \\ [,{ text', list: [1, { a: null }], é: '日本' }
  const response = answer(JSON.stringify(value))
  expect([response.status, response.headers.get('x-a')]).toEqual([201, 'b'])
  expect(await response.json()).toEqual(value)
  expect(boundedJson(new Response(null, { status: 204 })).status).toBe(204)
})

describe('as many values as are read', () => {
  const taken: Record<string, string> = {
    'in a list': `[${'0,'.repeat(jsonValuesMax - 2)}0]`,
    'brackets in a text': JSON.stringify('[,{"\\'.repeat(jsonValuesMax / 2)),
  }
  for (const [what, text] of Object.entries(taken)) {
    test(what, async () => expect(await answer(text).json()).toEqual(JSON.parse(text)))
  }
})

describe('more of them fail before they are parsed', () => {
  const refused: Record<string, string> = {
    'one more': `[${'0,'.repeat(jsonValuesMax)}0]`,
    'lists in lists': '['.repeat(16_000_000),
    'empty lists': `[${'[],'.repeat(5_000_000)}[]]`,
    'empty objects': `[${'{},'.repeat(5_000_000)}{}]`,
    'behind a text that ends in a backslash': `["\\\\",${'[],'.repeat(1_000_000)}[]]`,
  }
  for (const [what, text] of Object.entries(refused)) {
    test(what, () => expect(answer(text).json()).rejects.toThrow(JsonValuesError))
  }
})
