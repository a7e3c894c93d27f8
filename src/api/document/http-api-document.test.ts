import { describe, expect, test } from 'bun:test'
import { rateLimits } from '#api/contract/limits.ts'
import { isLiteral } from '#api/contract/messages.ts'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import { literalsOf } from '#tests/support/literals-of.ts'
import { jsonSchemaOf } from './openapi-operation.ts'

const all: readonly Route[] = Object.values(routes)
const document = await Bun.file(`${import.meta.dir}/../../../docs/http-api.md`).text()

interface Mention {
  /** Such as `POST /api/domain/claim`. */
  readonly name: string
  readonly query: readonly string[]
  /** The row or list item that the route begins, without the other routes of it. */
  readonly line: string
}

/** Every `POST /claim` in the document. Its path is below that of the section's heading, or whole. */
function mentionsIn(text: string): Mention[] {
  let prefix = ''
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) prefix = line.match(/`(.*)`/)?.[1] ?? ''
    return [...line.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^\s?`]*)(?:\?([^`]*))?/g)].map(
      ([, method, path = '', search = '']) => ({
        name: `${method} ${path.startsWith(prefix) ? path : prefix + path}`,
        query: search.split('&').flatMap((pair) => pair.match(/^\w+/) ?? []),
        line: /^(?:- |\| )`[A-Z]+ \//.test(line) ? line : '',
      }),
    )
  })
}

const mentions = mentionsIn(document)
const nameOf = ({ method, path }: Route): string => `${method} ${path}`
const declaredAs = (name: string) => all.find((route) => nameOf(route) === name)

describe('docs/http-api.md', () => {
  test('has every declared route, and no other', () => {
    const named = new Set(mentions.map(({ name }) => name))
    expect([...named].toSorted()).toEqual(all.map(nameOf).toSorted())
  })

  test('names no parameter that is not declared', () => {
    const others = mentions.filter(({ name, query }) =>
      query.some((key) => !Object.keys(declaredAs(name)?.query ?? {}).includes(key)),
    )
    expect(others).toEqual([])
  })

  test('names no status that is not declared for its route', () => {
    const others = mentions.flatMap(({ name, line }) => {
      const { answers = {}, failures = {} } = declaredAs(name) ?? {}
      const named = line.match(/\b(?:200|302|[45]\d\d)\b/g) ?? []
      return named
        .filter((status) => !(status in answers || status in failures))
        .map((status) => `${name}: ${status}`)
    })
    expect(others).toEqual([])
  })

  test('has every literal message', () => {
    const texts = all.flatMap((route) => literalsOf(route).map(({ text }) => text))
    expect(
      [...new Set(texts)].filter((text) => isLiteral(text) && !document.includes(text)),
    ).toEqual([])
  })

  test('names every field that is sent or answered', () => {
    const words = new Set(document.match(/\w+/g))
    const fields = all.flatMap(({ answers, body }) => [
      ...(body ? fieldsIn(jsonSchemaOf(body.schema, 'input')) : []),
      ...Object.values(answers).flatMap((answer) =>
        answer.kind === 'json' ? fieldsIn(jsonSchemaOf(answer.schema, 'output')) : [],
      ),
    ])
    expect([...new Set(fields)].filter((field) => !words.has(field))).toEqual([])
  })

  test('has the figures of every limit', () => {
    const rows = [...document.matchAll(/^\| (`\/.*) \| (\d+) +\| (\d*) +\|$/gm)]
    const documented = rows.flatMap(([, names = '', client, account]) =>
      pathsIn(names).map((path) => `${path}: ${client} ${account}`),
    )
    const limited = all.flatMap(({ limit, path }) => {
      if (limit === undefined) return []
      const {
        perClient,
        perAccount,
      }: (typeof rateLimits)['claim' | 'signIn'] & {
        readonly perAccount?: number
      } = rateLimits[limit]
      return [`${path}: ${perClient} ${perAccount ?? ''}`]
    })
    // A path may have several methods.
    expect(documented.toSorted()).toEqual([...new Set(limited)].toSorted())
  })
})

/** In `/api/auth/login` and `/signin` the second is beside the first. */
function pathsIn(names: string): string[] {
  const [first = '', ...others] = [...names.matchAll(/`([^`]+)`/g)].map(([, path]) => String(path))
  return [first, ...others.map((path) => first.slice(0, first.lastIndexOf('/')) + path)]
}

function fieldsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, inner]: [string, unknown]) => [
    ...(key === 'properties' ? Object.keys(inner as object) : []),
    ...fieldsIn(inner),
  ])
}
