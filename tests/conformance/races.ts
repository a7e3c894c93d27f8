import { describe, expect, test } from 'bun:test'
import { accountOf } from '#tests/support/database/sample-rows.ts'
import { type Answer, answerTo } from './requests.ts'
import { Scene } from './scene.ts'
import type { Stage } from './stage.ts'

/** security.md H33, over HTTP: however many ask at once, one gets it. */
export function describeRaces(stage: () => Stage): void {
  describe('at once', () => {
    test('one name, claimed by fifty accounts: one has it', async () => {
      const accounts = Array.from({ length: 50 }, (_, n) => accountOf(n))
      const cookies = await Promise.all(accounts.map((did) => stage().session(did)))
      const body = JSON.stringify({ handle: 'wanted' })
      const answers = await Promise.all(
        cookies.map((cookie) => ask('POST', '/api/domain/claim', cookie, body)),
      )
      const winner = answers.findIndex(([status]) => status === 200)
      expect(answers[winner]).toEqual([200, { success: true, domain: 'wanted.localhost' }])
      const losers = answers.filter((_, n) => n !== winner)
      expect(losers).toEqual(losers.map(() => [409, { error: 'That name is taken.' }]))
      const [, registered] = await ask('GET', '/api/domain/registered?domain=wanted.localhost')
      expect(registered).toMatchObject({ did: accounts[winner] })
      await ask('DELETE', '/api/domain/sitehost/wanted.localhost', cookies[winner])
    })

    test('ten names, claimed by one account: as many as it may have', async () => {
      const cookie = await stage().session(accountOf(99))
      const claim = (n: number) =>
        ask('POST', '/api/domain/claim', cookie, JSON.stringify({ handle: `greedy-${n}` }))
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => claim(n)))
      const statuses = answers.map(([status]) => status)
      expect(statuses.toSorted()).toEqual([200, 200, 200, 403, 403, 403, 403, 403, 403, 403])
    })

    test('one domain, verified by two whose values are both there: one has it', async () => {
      await using scene = new Scene(stage())
      const { alice, bob } = stage().people
      await scene.add('alice', 'race-example.com')
      await scene.add('bob', 'race-example.com', 'bobs')
      scene.prove('race-example.com', alice.did, bob.did)
      const { id, bobs } = scene.facts
      const answers = await Promise.all([
        scene.do('alice', 'POST', '/api/domain/custom/verify', { id }),
        scene.do('bob', 'POST', '/api/domain/custom/verify', { id: bobs }),
      ])
      const winner = answers.findIndex(({ success }) => Boolean(success))
      expect<unknown>(answers[winner]).toEqual(verified)
      expect<unknown>(answers[1 - winner]).toEqual({
        ...{ success: false, verified: false, found: true },
        error: expect.stringContaining('Another account has verified race-example.com'),
      })
      const path = '/api/domain/registered?domain=race-example.com'
      const [, registered] = await ask('GET', path)
      expect(registered).toMatchObject({ did: [alice.did, bob.did][winner], verified: true })
    })
  })

  const ask = (method: string, path: string, cookie?: string, body?: string): Promise<Answer> =>
    answerTo(stage(), method, path, cookie === undefined ? [] : [`Cookie: ${cookie}`], body)
}

const verified = { success: true, verified: true, error: null, found: true }
