import { expect, test } from 'bun:test'
import { z } from 'zod'
import { parseBody } from './body.ts'

const schema = z.object({ handle: z.string().min(1) })
const jsonOf = (bytes: number) => JSON.stringify({ handle: 'x'.repeat(bytes - 13) })

async function parsed(body: BodyInit | null): Promise<unknown> {
  const request = new Request('http://app.test/', { method: 'POST', body })
  try {
    return await parseBody(request, schema)
  } catch (error) {
    const { status, message } = error as { status: number; message: string }
    return [status, message]
  }
}

const facts: [string, BodyInit | null, unknown][] = [
  ['what is expected', '{"handle":"a"}', { handle: 'a' }],
  ['unknown fields, ignored', '{"handle":"a","x":1,"__proto__":{"y":1}}', { handle: 'a' }],
  ['no body', null, [400, 'body: expected JSON']],
  ['an empty body', '', [400, 'body: expected JSON']],
  ['a form', 'handle=a', [400, 'body: expected JSON']],
  ['half of it', '{"handle":"a"', [400, 'body: expected JSON']],
  ['another type', '["a"]', [400, 'body: Invalid input: expected object, received array']],
  ['a field missing', '{}', [400, 'handle: Invalid input: expected string, received undefined']],
  [
    'a field of another type',
    '{"handle":1}',
    [400, 'handle: Invalid input: expected string, received number'],
  ],
  ['too much by a byte', jsonOf(65_537), [413, 'body: at most 65536 bytes']],
  // 21 846 characters, each of three bytes
  ['too much in other letters', `"${'日'.repeat(21_846)}"`, [413, 'body: at most 65536 bytes']],
]
for (const [what, body, expected] of facts) {
  test(what, async () => expect(await parsed(body)).toEqual(expected))
}

test('just as much as is allowed', async () => {
  expect(jsonOf(65_536)).toHaveLength(65_536)
  expect(await parsed(jsonOf(65_536))).toHaveProperty('handle')
})

test('a body without a declared length is not read beyond its limit', async () => {
  let sent = 0
  const endless = new ReadableStream({
    pull(controller) {
      sent += 16_384
      controller.enqueue(new Uint8Array(16_384))
    },
  })
  expect(await parsed(endless)).toEqual([413, 'body: at most 65536 bytes'])
  expect(sent).toBeLessThan(200_000)
})
