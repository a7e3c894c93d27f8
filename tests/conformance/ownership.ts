import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Attempt, attempts } from './attempts.ts'
import { expected, type Facts, filled } from './like.ts'
import { page, Scene } from './scene.ts'
import type { Stage } from './stage.ts'
import { furnish, nobodys, stateOf } from './victim.ts'

/** Two who are signed in, and every route that names something: nothing of the one is the other's. */
export function describeOwnership(stage: () => Stage): void {
  describe('what is another’s', () => {
    let scene: Scene
    let before: Record<string, unknown>
    beforeAll(async () => {
      scene = new Scene(stage())
      await furnish(scene)
      before = await stateOf(scene)
    }, 120_000)
    afterAll(() => scene[Symbol.asyncDispose](), 120_000)

    test('is there, to begin with', () => {
      const text = JSON.stringify(before)
      for (const name of ['domain', 'id', 'waiting'])
        expect(text).toContain(scene.facts[name] ?? '')
      const served = Object.values(before).filter((answer) => answer === '200 <h1>blog</h1>')
      expect(served).toHaveLength(3)
      expect(before['running job']).toMatchObject({ status: 'uploading', error: null })
    })

    for (const [route, list] of Object.entries(attempts)) {
      for (const attempt of typeof list === 'string' ? [] : list) {
        test(`${route} ${JSON.stringify(attempt)}`, async () => {
          const foreign = await asBob(route, attempt, scene, scene.facts)
          const unknown = await asBob(route, attempt, scene, { ...scene.facts, ...nobodys })
          expect<unknown>(foreign).toEqual(attempt.foreign ?? unknown)
          // Understood, and not found: neither refused for its form nor broken.
          expect([400, 500]).not.toContain(unknown[0])
        })
      }
    }

    test('is as it was, and its visitors get what they got', async () => {
      expect(await stateOf(scene)).toEqual(before)
    })
  })
}

/** His answer, with the names of what it is about in place of their values. */
async function asBob(
  route: string,
  { path, json, siteName }: Attempt,
  scene: Scene,
  facts: Facts,
): Promise<[status: number, body: unknown]> {
  const [method = '', declared = ''] = route.split(' ')
  const { client } = scene.stage.people.bob
  const answer =
    siteName === undefined
      ? await client.fetch(filled(path ?? declared, facts), {
          method,
          ...(json !== undefined && { body: JSON.stringify(expected(json, facts)) }),
        })
      : await client.upload(filled(siteName, facts), page('bob’s own'))
  const text = withoutFacts(await answer.text(), facts)
  // A redirect has no body.
  return [answer.status, text === '' ? null : JSON.parse(text)]
}

function withoutFacts(text: string, facts: Facts): string {
  const named = Object.entries(facts).reduce(
    (rest, [name, value]) => rest.replaceAll(`"${value}"`, `"{${name}}"`),
    text,
  )
  return named.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{uuid}')
}
