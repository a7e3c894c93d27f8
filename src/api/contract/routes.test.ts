import { describe, expect, test } from 'bun:test'
import { literalsOf } from '#tests/support/literals-of.ts'
import { literals } from './messages.ts'
import type { Route } from './route.ts'
import { routes } from './routes.ts'

const all = Object.entries(routes as Readonly<Record<string, Route>>)

test('no method and path is declared twice', () => {
  const names = all.map(([, { method, path }]) => `${method} ${path.replace(/:\w+/g, ':')}`)
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
})

test('every parameter of a path is described, and no other', () => {
  for (const [name, { path, params = {} }] of all) {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, param]) => String(param))
    expect([name, ...Object.keys(params)]).toEqual([name, ...inPath])
  }
})

test('a status is either answered or thrown, but for messages of its own', () => {
  for (const [name, { answers, failures }] of all) {
    const both = Object.keys(answers).filter((status) => failures && status in failures)
    expect([name, ...both]).toEqual([name])
  }
})

test('every literal message belongs to a route, or to what no route answers', () => {
  const told = new Set(all.flatMap(([, route]) => literalsOf(route).map(({ text }) => text)))
  const ofNoRoute: string[] = [literals.internalError]
  const untold: string[] = Object.values(literals).filter((text) => !told.has(text))
  expect(untold).toEqual(ofNoRoute)
})

describe('what a route says to the letter', () => {
  const facts: [keyof typeof routes, [number, string][]][] = [
    [
      'beginSignIn',
      [
        [302, '/?error=missing_handle'],
        [302, '/?error=auth_failed'],
        [302, '/?error=auth_failed&reason=too_many'],
        [302, '/?handle={handle}'],
        [302, '/?handle={handle}&return_to={path}'],
      ],
    ],
    [
      'signIn',
      [
        [403, 'Cross-origin request refused'],
        [400, 'Authentication failed'],
        [401, 'Authentication failed'],
      ],
    ],
    [
      'checkSubdomain',
      [
        [200, 'taken'],
        [200, 'invalid'],
      ],
    ],
    ['findRegistration', [[400, 'Domain parameter required']]],
    ['readHealth', [[200, 'ok']]],
    ['readReadiness', [[200, 'ok']]],
    [
      'deleteSite',
      [
        [401, 'Unauthorized'],
        [403, 'Cross-origin request refused'],
        [404, 'Site not found'],
        [200, 'Site deleted successfully'],
      ],
    ],
    [
      'uploadFiles',
      [
        [401, 'Unauthorized'],
        [403, 'Cross-origin request refused'],
      ],
    ],
  ]
  for (const [name, expected] of facts) {
    test(name, () => {
      const found = literalsOf(routes[name]).map(({ status, text }) => [status, text])
      expect(found.toSorted()).toEqual(expected.toSorted())
    })
  }
})
