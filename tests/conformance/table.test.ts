import { describe, expect, test } from 'bun:test'
import { literals } from '#api/contract/messages.ts'
import { literalsOf } from '#tests/support/literals-of.ts'
import { attempts } from './attempts.ts'
import { declaredRoutes, webAppRoute } from './declared-routes.ts'
import { literalsIn } from './like.ts'
import { rows } from './rows.ts'
import { errorSituations, literalTexts, specifiedRoutes } from './specification.ts'

// What makes the table whole: no route and no literal of the specification without its row.

/** Who may sign in: `sessions.ts`. */
const sectionsElsewhere = new Set(['5'])
/** Only with the hosting part in a process of its own, which is stopped: src/api/routes/admin/admin-reads.test.ts. */
const literalsElsewhere = new Set<string>([literals.hostingUnavailable, literals.noCacheStats])
const situationsElsewhere = new Set(['Cache statistics unavailable'])

/** Who is not signed in, and who is elsewhere: `sessions.ts` and `cross-origin.ts` ask every route there is. */
const shownForEveryRoute = new Set<string>([literals.unauthorized, literals.crossOrigin])

/** With another SIGN_IN, and many requests: src/api/routes/admission.test.ts. */
const shownElsewhere = new Set([
  'GET /api/auth/callback 302 /?error=auth_failed&reason=not_allowed',
  'GET /invitation/:code 302 /?news=invited',
  'GET /invitation/:code 302 /?error=auth_failed&reason=too_many',
])

const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].toSorted()

const names = [...declaredRoutes.map(({ name }) => name), webAppRoute].toSorted()

describe('the table', () => {
  test('has rows for every declared route, and for no other', () => {
    expect(sorted(rows.map(({ route }) => route))).toEqual(names)
  })

  test('has a row for every route of the specification, in its section', () => {
    const wanted = specifiedRoutes()
      .filter(({ section }) => section !== '7' && !sectionsElsewhere.has(section))
      .map(({ section, route }) => `${section} ${route}`)
    const shown = new Set(rows.map(({ section, route }) => `${section} ${route}`))
    expect(wanted.length).toBe(36)
    expect(wanted.filter((name) => !shown.has(name))).toEqual([])
  })

  test('has a row for every literal of the specification, in its section', () => {
    const wanted = literalTexts().filter(
      ({ section, text }) => !sectionsElsewhere.has(section) && !literalsElsewhere.has(text),
    )
    const shown = new Set(
      rows.flatMap(({ section, situation, body, location }) =>
        literalsIn([body, location]).flatMap((text) => [
          `${section} ${text}`,
          ...(situation === undefined ? [] : [`7 ${text}`]),
        ]),
      ),
    )
    expect(wanted.length).toBe(26)
    expect(wanted.filter(({ section, text }) => !shown.has(`${section} ${text}`))).toEqual([])
  })

  test('has a row for every literal of the contract, at its status', () => {
    const shown = new Set(
      rows.flatMap(({ route, status, body, location }) =>
        literalsIn([body, location]).map((text) => `${route} ${status} ${text}`),
      ),
    )
    const wanted = declaredRoutes.flatMap((route) =>
      literalsOf(route)
        .filter(({ text }) => !shownForEveryRoute.has(text) && !literalsElsewhere.has(text))
        .map(({ status, text }) => `${route.name} ${status} ${text}`),
    )
    expect(wanted.length).toBeGreaterThan(20)
    expect(wanted.filter((literal) => !shown.has(literal) && !shownElsewhere.has(literal))).toEqual(
      [],
    )
  })

  test('has a row for every situation of §7, and knows no other', () => {
    const wanted = errorSituations().filter((situation) => !situationsElsewhere.has(situation))
    expect(sorted(rows.flatMap(({ situation = [] }) => situation))).toEqual(sorted(wanted))
  })

  test('has no row twice', () => {
    const names = rows.map(({ section, route, what }) => `${section} ${route} ${what}`)
    expect(names.length).toBe(new Set(names).size)
  })
})

describe('the attempts on what is another’s', () => {
  test('are there for every route, and for no other', () => {
    expect(sorted(Object.keys(attempts))).toEqual(names)
  })

  test('cannot be left out where a path names something', () => {
    const naming = declaredRoutes.filter(({ path }) => path.includes(':'))
    expect(naming.length).toBeGreaterThan(8)
    expect(naming.filter(({ name }) => typeof attempts[name] === 'string')).toEqual([])
  })
})
