import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { sentences } from '#api/contract/messages.ts'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import { parse, parseBody } from './body.ts'
import { ApiError } from './errors.ts'

const schema = z.object({ handle: z.string().min(1) })
const jsonOf = (bytes: number) => JSON.stringify({ handle: 'x'.repeat(bytes - 13) })

async function parsed(body: BodyInit | null): Promise<unknown> {
  const request = new Request('http://app.test/', { method: 'POST', body })
  try {
    return await parseBody(request, { schema })
  } catch (error) {
    const { status, message } = error as { status: number; message: string }
    return [status, message]
  }
}

const manyNames = Array.from({ length: 200 }, (_, n) => `,"n${n}":0`).join('')

const facts: [string, BodyInit | null, unknown][] = [
  ['what is expected', '{"handle":"a"}', { handle: 'a' }],
  ['unknown fields, ignored', '{"handle":"a","x":1,"__proto__":{"y":1}}', { handle: 'a' }],
  ['no body', null, [400, 'body: expected JSON']],
  ['an empty body', '', [400, 'body: expected JSON']],
  ['a form', 'handle=a', [400, 'body: expected JSON']],
  ['half of it', '{"handle":"a"', [400, 'body: expected JSON']],
  ['another type', '["a"]', [400, 'body: expected an object']],
  ['a field missing', '{}', [400, 'handle: expected a string']],
  [
    'a field with a length that is none',
    '{"handle":{"length":{"valueOf":0,"toString":0}}}',
    [400, 'body: not what was expected'],
  ],
  ['a field of another type', '{"handle":1}', [400, 'handle: expected a string']],
  [
    'values without end',
    `{"handle":"a","x":[${'[],'.repeat(2_000)}0]}`,
    [400, 'body: too many values'],
  ],
  ['names without end', `{"handle":"a"${manyNames}}`, [400, 'body: too many names']],
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

test('a body that does not end is not waited for', async () => {
  let isCancelled = false
  const dripping = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('{')),
    cancel() {
      isCancelled = true
    },
  })
  const request = new Request('http://app.test/', { method: 'POST', body: dripping })
  const refusal = parseBody(request, { schema }, { arrivalMsMax: 1 })
  await expect(refusal).rejects.toMatchObject({ status: 408, message: sentences.bodyTooSlow })
  expect(isCancelled).toBe(true)
})

describe('what a route does not take is told in plain words', () => {
  for (const [name, { body }] of Object.entries<Route>(routes)) {
    if (body?.kind !== 'json') continue
    test(name, () => {
      const fields = Object.keys((body.schema as z.ZodObject).shape)
      const wrong = [1, [], {}, ...fields.flatMap((field) => [{ [field]: [] }, { [field]: 1 }])]
      for (const value of wrong) {
        const message = messageOf(() => parse(body.schema, value))
        expect(message).toMatch(
          /^([a-zA-Z.\d]+: expected (a string|true or false|an object|a number|451 or 404|a list|at least 1 entry))?$/,
        )
      }
    })
  }
})

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.message
  }
}
