import { describe, expect, test } from 'bun:test'
import { Hono } from 'hono'
import { z } from 'zod'
import { json, redirect, text } from '#api/contract/answers.ts'
import { defineRoute } from '#api/contract/route.ts'
import { recordingLog } from '#tests/support/api.ts'
import { bindRoutes, type Guards, type HandlersOf } from './bind-routes.ts'
import type { ApiEnv } from './context.ts'
import { ApiError, answerError } from './errors.ts'
import { RateLimits } from './rate-limits.ts'

const ofSection = { section: '0', summary: 'a test', access: 'public' } as const
const count = z.strictObject({ count: z.int(), names: z.array(z.string()) })

const routes = {
  readCount: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/count/:name/of/:place',
    query: { least: z.coerce.number().optional(), word: z.string().optional() },
    answers: { 200: json('so many', count), 404: text('none', 'none') },
  }),
  setCount: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/count',
    failureShape: 'success',
    body: { kind: 'json', schema: z.object({ count: z.int() }) },
    answers: { 302: redirect('set', '/count', '/count?was={number}') },
  }),
  readOwn: defineRoute({
    ...ofSection,
    access: 'signed-in',
    method: 'GET',
    path: '/own',
    answers: { 200: text('it', 'it') },
  }),
}

const handlers: HandlersOf<typeof routes> = {
  readCount: ({ params, query, answer }) =>
    params.name === 'nothing'
      ? answer(404, 'none')
      : answer(200, { count: query.least ?? 0, names: [params.name, params.place] }),
  setCount: ({ body, answer }) => {
    if (body.count === 13) throw new ApiError(409, 'not that one')
    return answer(302, body.count === 0 ? '/count' : `/count?was=${body.count}`)
  },
  readOwn: ({ answer }) => answer(200, 'it'),
}

const nobody = () => {
  throw new ApiError(401, 'Unauthorized')
}
const guards: Guards = {
  'signed-in': nobody,
  service: async () => null,
  grant: async () => undefined,
  ended: async () => undefined,
  admin: nobody,
  deployer: nobody,
  limits: new RateLimits({ trustedProxies: [], elapsed: () => 0 }),
}

const app = new Hono<ApiEnv>().onError(answerError(recordingLog()))
bindRoutes(app, routes, handlers, guards)

async function ask(path: string, init?: RequestInit): Promise<unknown> {
  const response = await app.request(path, init)
  return [response.status, response.headers.get('location') ?? (await response.text())]
}
const post = (body: string) => ask('/count', { method: 'POST', body })

describe('a request, as its declaration has it', () => {
  const facts: [string, unknown][] = [
    ['/count/a/of/b', [200, '{"count":0,"names":["a","b"]}']],
    ['/count/a%20c/of/b?least=7&other=1', [200, '{"count":7,"names":["a c","b"]}']],
    ['/count/nothing/of/b', [404, 'none']],
    ['/count/a/of/b?least=x', [400, expect.stringContaining('least: expected a number')]],
    ['/own', [401, '{"error":"Unauthorized"}']],
  ]
  for (const [path, expected] of facts) {
    test(path, async () => expect(await ask(path)).toEqual(expected))
  }

  const bodies: [string, unknown][] = [
    ['{"count":3,"more":1}', [302, '/count?was=3']],
    ['{"count":0}', [302, '/count']],
    ['{"count":13}', [409, '{"success":false,"error":"not that one"}']],
    ['{"count":"3"}', [400, expect.stringContaining('{"success":false,"error":"count: ')]],
    ['count=3', [400, '{"success":false,"error":"body: expected JSON"}']],
    [' '.repeat(65_537), [413, '{"success":false,"error":"body: at most 65536 bytes"}']],
  ]
  for (const [body, expected] of bodies) {
    test(`body ${body.slice(0, 20)}`, async () => expect(await post(body)).toEqual(expected))
  }
})

test('a route has the failures of its kind beside its own', () => {
  expect(routes.readCount.failures).toEqual({})
  expect(Object.keys(routes.setCount.failures)).toEqual(['400', '403', '408', '413'])
  expect(Object.keys(routes.readOwn.failures)).toEqual(['401', '403', '503'])
})

/** `npm run check` is the test: each line that is expected to be refused must be. */
export const refusedByTheCompiler: unknown[] = [
  // @ts-expect-error a declared route without a handler
  { readCount: handlers.readCount, setCount: handlers.setCount } satisfies HandlersOf<
    typeof routes
  >,
  // @ts-expect-error a handler without a declared route
  { ...handlers, other: handlers.readOwn } satisfies HandlersOf<typeof routes>,
  {
    // @ts-expect-error an answer that `answer` did not make
    readOwn: () => new Response('it'),
    // @ts-expect-error a status that is not declared
    setCount: ({ answer }) => answer(201, '/count'),
    readCount: ({ answer, params, query }) => {
      // @ts-expect-error a field too few
      answer(200, { count: 1 })
      // @ts-expect-error a field too many
      answer(200, { count: 1, names: [], more: 1 })
      // @ts-expect-error a field of another type
      answer(200, { count: '1', names: [] })
      // @ts-expect-error a text that is not the declared one
      answer(404, 'nothing')
      // @ts-expect-error a parameter that the path does not have
      params.word.trim()
      // @ts-expect-error one that may be missing
      query.word.trim()
      return answer(200, { count: 1, names: Object.freeze(['a']) })
    },
  } satisfies HandlersOf<typeof routes>,
  {
    // @ts-expect-error a place that is not declared
    setCount: ({ answer }) => answer(302, '/elsewhere'),
  } satisfies Partial<HandlersOf<typeof routes>>,
]
