import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { attempts } from './attempts.ts'
import { type DeclaredRoute, declaredRoutes, pathWith } from './declared-routes.ts'
import { expected, type Facts, filled } from './like.ts'
import { answerTo, send } from './requests.ts'
import { Scene } from './scene.ts'
import type { Stage } from './stage.ts'
import { furnish, stateOf } from './victim.ts'

/** Header lines of requests that a page of another origin starts; `{app}` is our own origin. */
const foreign: readonly string[][] = [
  ...['cross-site', 'same-site', 'none', '', 'Same-Origin', 'same-origin, same-origin'].map(
    (site) => [`Sec-Fetch-Site: ${site}`],
  ),
  ['Sec-Fetch-Site: cross-site', 'Origin: {app}'],
  ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
  ...['https://evil.example', 'null', '', '{app}/', '{app}.evil.example', '{app}, {app}'].map(
    (sender) => [`Origin: ${sender}`],
  ),
  // The same host under another scheme, port or name is another origin.
  ...[
    'https://{host}',
    'http://127.0.0.1',
    'http://localhost:{port}',
    'http://a.localhost:{port}',
  ].map((sender) => [`Origin: ${sender}`]),
  ['Origin: {app}', 'Origin: https://evil.example'],
  // What a front may add, and anybody else too, says nothing about who asks. (With an X-Forwarded-Host of a
  // front the request is for that host, and not for the application: tests/fronts.)
  [
    ...['Origin: https://evil.example', 'X-Forwarded-Proto: https'],
    'Forwarded: host=evil.example;proto=https',
  ],
]

const own: readonly string[][] = [
  [],
  ['Sec-Fetch-Site: same-origin'],
  ['Sec-Fetch-Site: same-origin', 'Origin: https://evil.example'],
  ['Origin: {app}'],
  ['Forwarded: host=evil.example;proto=https'],
]

const sentence = 'Cross-origin request refused'
/** People send the form for reports, so that they get a page. */
const refusalOf = (name: string) => [
  403,
  name === 'POST /report' ? expect.stringContaining(sentence) : { error: sentence },
]

/** Pages of other origins cannot use the session of who looks at them (decisions.md §1). */
export function describeCrossOrigin(stage: () => Stage): void {
  describe('a page of another origin', () => {
    let scene: Scene
    let cookie: string
    let facts: Facts
    let before: Record<string, unknown>
    beforeAll(async () => {
      scene = new Scene(stage())
      await furnish(scene)
      cookie = await stage().session(stage().people.alice.did)
      const { host, port } = new URL(stage().world.app)
      facts = { ...scene.facts, host, port }
      before = await stateOf(scene)
    }, 120_000)
    afterAll(() => scene[Symbol.asyncDispose](), 120_000)

    const mutating = declaredRoutes.filter(({ mutates }) => mutates)
    const filledLines = (lines: readonly string[]) => lines.map((line) => filled(line, facts))

    for (const lines of foreign) {
      test(`${lines.join(', ')}: refused by every route that changes something`, async () => {
        for (const session of [[], [`Cookie: ${cookie}`]]) {
          for (const [method, path, body, name] of requestsOf(mutating, facts)) {
            const sent = [...session, ...filledLines(lines), 'Content-Type: text/plain']
            const answer = await answerTo(stage(), method, path, sent, body)
            expect([name, ...answer]).toEqual([name, ...refusalOf(name)])
          }
        }
      })
    }

    for (const lines of own) {
      test(`${lines.join(', ') || 'neither header'}: not from elsewhere`, async () => {
        for (const [method, path, body, name] of requestsOf(mutating, facts)) {
          const [status] = await answerTo(stage(), method, path, filledLines(lines), body)
          expect([name, status]).not.toEqual([name, 403])
        }
      })
    }

    test('is told by no route that it may ask', async () => {
      const lines = ['Origin: https://evil.example', 'Access-Control-Request-Method: POST']
      for (const route of declaredRoutes) {
        const path = pathWith(route, facts)
        for (const method of ['OPTIONS', ...(route.mutates ? [] : ['GET'])]) {
          const { headers } = await send(stage(), method, path, lines)
          const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control'))
          expect([method, route.name, allowed]).toEqual([method, route.name, []])
        }
      }
    })

    test('has changed nothing', async () => {
      expect(await stateOf(scene)).toEqual(before)
    })
  })
}

type Sent = readonly [method: string, path: string, body: string, name: string]

/** Each route with what would change something of alice's, if it were let through. */
function requestsOf(routes: readonly DeclaredRoute[], facts: Facts): Sent[] {
  return routes.flatMap((route) => {
    const { method, name } = route
    const list = attempts[name] ?? []
    if (typeof list === 'string') return [[method, pathWith(route, facts), '{}', name] as const]
    return list.map(({ path, json }): Sent => {
      const body = json === undefined ? '' : JSON.stringify(expected(json, facts))
      return [method, path === undefined ? route.path : filled(path, facts), body, name]
    })
  })
}
