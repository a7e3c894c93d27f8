import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { withinASecond } from '../support/eventually.ts'
import { Scene } from './scene.ts'
import { openStage, type PersonName, type Stage } from './stage.ts'
import { visit } from './victim.ts'

const blog = '200 <h1>blog</h1>'
const second = '200 <h1>second</h1>'
const theirs = '200 <h1>theirs</h1>'
const nothing = /^404 .*No site here/s

const leadsTo = (name: string) => new RegExp(`^308 http://${RegExp.escape(name)}(:\\d+)?/$`)

const host = 'edge-name.localhost'
const renamed = 'edge-renamed.localhost'
const custom = 'edge-example.com'

/** One change, and what visitors of which hosts get from then on. */
interface Step {
  readonly what: string
  readonly change: (scene: Scene) => Promise<unknown>
  readonly shows: Readonly<Record<string, string | RegExp>>
}

const mapName = (who: PersonName, domain: string, siteRkey: string | null) => (scene: Scene) =>
  scene.do(who, 'POST', '/api/domain/sitehost/map-site', { domain, siteRkey })
const mapCustom = (who: PersonName, id: string, siteRkey: string | null) => (scene: Scene) =>
  scene.do(who, 'POST', `/api/domain/custom/${scene.facts[id]}/map-site`, { siteRkey })
const verify = (who: PersonName, id: string) => (scene: Scene) => {
  scene.prove(custom, scene.stage.people[who].did)
  return scene.do(who, 'POST', '/api/domain/custom/verify', { id: scene.facts[id] })
}

/** As if what was released had been released 30 days ago. */
const keepNoName = ({ stage }: Scene) => stage.database.db.deleteFrom('keptSubdomains').execute()

/** Every host has been visited before each step, so that what was in memory would show. */
const steps: readonly Step[] = [
  {
    what: 'claimed',
    change: (scene) => scene.claim('alice', 'edge-name'),
    shows: { [host]: nothing },
  },
  { what: 'mapped', change: mapName('alice', host, 'blog'), shows: { [host]: blog } },
  {
    what: 'mapped to another site',
    change: mapName('alice', host, 'second'),
    shows: { [host]: second },
  },
  { what: 'unmapped', change: mapName('alice', host, null), shows: { [host]: nothing } },
  { what: 'mapped again', change: mapName('alice', host, 'blog'), shows: { [host]: blog } },
  {
    what: 'renamed',
    change: (scene) => scene.do('alice', 'POST', '/api/domain/update', { handle: 'edge-renamed' }),
    shows: { [host]: nothing, [renamed]: blog },
  },
  {
    what: 'released',
    change: (scene) => scene.do('alice', 'DELETE', `/api/domain/sitehost/${renamed}`),
    shows: { [renamed]: nothing },
  },
  {
    what: 'claimed by another when its time is over, and mapped',
    change: async (scene) => {
      await keepNoName(scene)
      await scene.claim('bob', 'edge-renamed')
      await mapName('bob', renamed, 'theirs')(scene)
    },
    shows: { [renamed]: theirs },
  },
  {
    what: 'one name made the one that the others lead to',
    change: async (scene) => {
      await scene.claim('bob', 'edge-name')
      await mapName('bob', host, 'theirs')(scene)
      await scene.do('bob', 'POST', '/api/site/theirs/primary', { domain: renamed })
    },
    shows: { [host]: leadsTo(renamed), [renamed]: theirs },
  },
  {
    what: 'no longer',
    change: (scene) => scene.do('bob', 'POST', '/api/site/theirs/primary', { domain: null }),
    shows: { [host]: theirs, [renamed]: theirs },
  },
  {
    what: 'released',
    change: (scene) => scene.do('bob', 'DELETE', `/api/domain/sitehost/${host}`),
    shows: { [host]: nothing, [renamed]: theirs },
  },
  {
    what: 'a domain mapped, not verified',
    change: mapCustom('alice', 'id', 'blog'),
    shows: { [custom]: nothing },
  },
  { what: 'verified', change: verify('alice', 'id'), shows: { [custom]: blog } },
  {
    what: 'mapped to another site',
    change: mapCustom('alice', 'id', 'second'),
    shows: { [custom]: second },
  },
  { what: 'unmapped', change: mapCustom('alice', 'id', null), shows: { [custom]: nothing } },
  { what: 'mapped again', change: mapCustom('alice', 'id', 'second'), shows: { [custom]: second } },
  { what: 'lost to another account', change: verify('bob', 'bobs'), shows: { [custom]: theirs } },
  {
    what: 'deleted',
    change: (scene) => scene.do('bob', 'DELETE', `/api/domain/custom/${scene.facts['bobs']}`),
    shows: { [custom]: nothing },
  },
  {
    what: 'verified by who had it before',
    change: verify('alice', 'id'),
    shows: { [custom]: second },
  },
  {
    what: 'its site deleted',
    change: async (scene) => {
      await keepNoName(scene)
      await scene.claim('alice', 'edge-name')
      await mapName('alice', host, 'second')(scene)
      await withinASecond(async () => expect(await visit(scene.stage, host)).toBe(second))
      await scene.do('alice', 'DELETE', '/api/site/second')
    },
    shows: { [custom]: nothing, [host]: nothing },
  },
]

// What visitors get follows every change within a second of the answer that reported it.
describe('visitors, within a second', () => {
  let stage: Stage
  let scene: Scene
  beforeAll(async () => {
    stage = await openStage()
    scene = new Scene(stage)
    await scene.publish('alice', 'second')
    await scene.add('alice', custom)
    await scene.add('bob', custom, 'bobs')
    await mapCustom('bob', 'bobs', 'theirs')(scene)
  }, 120_000)
  afterAll(async () => {
    await scene[Symbol.asyncDispose]()
    await stage[Symbol.asyncDispose]()
  }, 120_000)

  for (const { what, change, shows } of steps) {
    test(`${what}: ${Object.keys(shows).join(', ')}`, async () => {
      for (const known of [host, renamed, custom]) await visit(stage, known)
      await change(scene)
      const from = performance.now()
      for (const [at, answer] of Object.entries(shows)) {
        await withinASecond(async () => expect(await visit(stage, at)).toMatch(answer))
      }
      expect(performance.now() - from).toBeLessThanOrEqual(1000)
    })
  }
})
