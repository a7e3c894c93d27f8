import { expect } from 'bun:test'
import { assertDeclared } from '../support/declared.ts'
import { expected, filled } from './like.ts'
import { Scene } from './scene.ts'
import type { PersonName, Stage } from './stage.ts'

/** Where a row is from: sections of `interface.md`, of `decisions.md`, or nowhere: a route of our own. */
export type Section =
  | '4.1'
  | '4.2'
  | '4.3'
  | '4.4'
  | '4.5'
  | '4.6'
  | `decisions ${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`
  | 'ours'

/** One answer that was promised, and what leads to it. `{name}` stands for a fact of the scene. */
export interface Row {
  readonly section: Section
  /** The row of interface.md §7 that says so too, by its first column. */
  readonly situation?: string
  /** In our own words. */
  readonly what: string
  /** As it is declared. */
  readonly route: string
  /** Who asks: somebody signed in, or a browser that has never been here. */
  readonly by: PersonName | 'nobody'
  readonly given?: (scene: Scene) => unknown
  /** That of the route when left out. */
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; a text as it is. */
  readonly json?: unknown
  readonly form?: () => FormData
  readonly status: number
  /** The whole body: JSON, a text, or the events of a stream as pairs of name and data. */
  readonly body: unknown
  /** Where a redirect leads. */
  readonly location?: unknown
  /** Other headers of the answer. Null: not there. */
  readonly answerHeaders?: Readonly<Record<string, unknown>>
  /** All `Set-Cookie` lines. */
  readonly cookies?: readonly unknown[]
}

/** Sets the scene, asks, and compares the answer with the row's, to the last field. */
export async function play(row: Row, stage: Stage): Promise<void> {
  await using scene = new Scene(stage)
  await row.given?.(scene)
  const answer = await ask(row, scene)
  const [method, path] = requestOf(row, scene)
  await assertDeclared(method, path.replace(/\?.*/, ''), answer)
  const text = await answer.text()
  expect<unknown>({
    status: answer.status,
    location: answer.headers.get('location'),
    body: bodyOf(answer, text),
  }).toEqual({
    status: row.status,
    location: expected(row.location ?? null, scene.facts),
    body: expected(row.body, scene.facts),
  })
  for (const [name, value] of Object.entries(row.answerHeaders ?? {})) {
    expect<unknown>([name, answer.headers.get(name)]).toEqual([name, expected(value, scene.facts)])
  }
  if (row.cookies) {
    expect<unknown>(answer.headers.getSetCookie()).toEqual(expected(row.cookies, scene.facts))
  }
}

async function ask(row: Row, scene: Scene): Promise<Response> {
  const { stage } = scene
  const [method, path] = requestOf(row, scene)
  const client = row.by === 'nobody' ? scene.browser : stage.people[row.by].client
  const init = { method, headers: filledHeaders(row, scene), body: bodyToSend(row, scene) }
  return await client.fetch(path, init)
}

/** Method and path, with its query. */
function requestOf({ route, path }: Row, { facts }: Scene): [method: string, path: string] {
  const [method = '', declared = ''] = route.split(' ')
  return [method, filled(path ?? declared, facts)]
}

const filledHeaders = ({ headers = {} }: Row, { facts }: Scene): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value, facts)]))

function bodyToSend({ json, form }: Row, { facts }: Scene): BodyInit | null {
  if (form !== undefined) return form()
  if (json === undefined) return null
  return typeof json === 'string' ? json : JSON.stringify(expected(json, facts))
}

/** By its media type, which is thereby compared as well. */
function bodyOf(answer: Response, text: string): unknown {
  const type = answer.headers.get('content-type') ?? ''
  if (type.startsWith('application/json')) return JSON.parse(text)
  return type.startsWith('text/event-stream') ? eventsOf(text) : text
}

/** Comments, which only keep a connection alive, are no events. */
export const eventsOf = (text: string): [string, unknown][] =>
  text.split('\n\n').flatMap((block): [string, unknown][] => {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
    return event === undefined || data === undefined ? [] : [[event, JSON.parse(data)]]
  })
