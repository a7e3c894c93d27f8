import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { recordKeyOf } from '#site/site-name.ts'
import { listSites } from '#store/sites/sites.ts'
import { foreignRepo, foreignRows } from '#tests/support/hostile/foreign-repo.ts'
import { startHostilePlace } from '#tests/support/hostile/hostile-place.ts'
import {
  fileIn,
  type HostileRepo,
  type HostileRow,
  hostileRows,
  manifest,
} from '#tests/support/hostile/hostile-rows.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import { wispPageUrl } from '#tests/support/visitors/wisp-sites.ts'
import { createSession, putRecord, uploadBlob } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startWorld } from '../support/world.ts'

// H01 to H18 and H20 of the table of hostile inputs: what an owner can write, by the whole way that it goes.

/** A running service, and the repository of somebody who is signed in there. */
interface Ground extends AsyncDisposable {
  readonly app: string
  /** The address of a page of a site; left out: of one of ours. */
  readonly pageUrl?: typeof pageUrl
  readonly repo: HostileRepo
  /** What the owner is told about each site. */
  problems(): Promise<ReadonlyMap<string, readonly string[]>>
}

interface RealGround extends Ground {
  /** Several writes as one commit. */
  commit(...writes: readonly object[]): Promise<void>
}

async function startRealGround(): Promise<RealGround> {
  const world = await startWorld()
  const alice = await world.signedIn('alice.test')
  const account = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
  return {
    app: world.app,
    repo: {
      did: account.did as HostileRepo['did'],
      blob: (bytes, mimeType) => uploadBlob(account, bytes, mimeType),
      async put(path, record) {
        const [collection = '', rkey = ''] = path.split('/')
        await putRecord(account, collection, rkey, record)
      },
    },
    async problems() {
      const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
        sites: { rkey: string; problems: string[] }[]
      }
      return new Map(sites.map((site) => [site.rkey, site.problems]))
    },
    async commit(...writes) {
      const answer = await fetch(`${world.network.pds}/xrpc/com.atproto.repo.applyWrites`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${account.accessJwt}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ repo: account.did, writes }),
      })
      expect(await answer.text()).toContain('results')
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const goodText = 'the good version'

/** A site for each row: what is good goes live, and then the row is written in its place. */
function rowsOn(ground: () => Ground, rows: readonly HostileRow[]): void {
  const sites = rows.map((row, i) => ({ row, site: `row-${i}`, title: `${row.id} ${row.what}` }))
  const show = (site: string, at = '/good') =>
    visit((ground().pageUrl ?? pageUrl)(ground().app, ground().repo.did, site, at))

  beforeAll(async () => {
    const { repo } = ground()
    const entries = [{ name: 'good', node: await fileIn(repo, goodText) }]
    for (const { site } of sites) await repo.put(pathOf(site), manifest(site, entries))
    for (const { site } of sites) {
      await eventually(async () => expect(await show(site)).toBe(goodText), 60_000)
    }
    for (const { row, site } of sites) await repo.put(pathOf(site), await row.record(repo, site))
  }, 300_000)

  describe('refused, the owner is told why, and the old version stays', () => {
    const refused = sites.filter(({ row }) => row.problem !== null)
    test.each(refused.map((one) => [one.title, one] as const))('%s', async (_, { row, site }) => {
      await eventually(async () => {
        expect((await ground().problems()).get(site)?.join('; ')).toContain(row.problem ?? '')
      })
      expect(await show(site)).toBe(goodText)
    })
  })

  const harmless = sites.filter(({ row }) => row.problem === null)
  if (harmless.length === 0) return
  test.each(harmless.map((one) => [one.title, one] as const))(
    'served by its exact bytes: %s',
    async (_, { row, site }) => {
      await eventually(async () => expect(await show(site)).toBe(404))
      for (const [at, body] of Object.entries(row.serves ?? {})) {
        expect(await show(site, at)).toBe(body)
      }
      expect((await ground().problems()).get(site)).toEqual([])
    },
  )
}

const pathOf = (site: string): string => `place.sitehost.fs/${site}`

describe('written to a real server:', () => {
  let ground: RealGround
  beforeAll(async () => {
    ground = await startRealGround()
  }, 300_000)
  afterAll(() => ground[Symbol.asyncDispose]())

  rowsOn(
    () => ground,
    hostileRows.filter(({ isUnwritable }) => isUnwritable === undefined),
  )

  test('H20 a site that is deleted and made anew in one commit: the new one is live', async () => {
    const { repo, commit } = ground
    const recordOf = async (text: string): Promise<object> =>
      manifest('blog', [{ name: 'index.html', node: await fileIn(repo, text) }])
    const $type = (action: string): string => `com.atproto.repo.applyWrites#${action}`
    const key = { collection: 'place.sitehost.fs', rkey: 'blog' }
    const shown = () => visit(pageUrl(ground.app, repo.did, 'blog'))
    await commit({ $type: $type('create'), ...key, value: await recordOf('one') })
    await eventually(async () => expect(await shown()).toBe('one'))
    await commit(
      { $type: $type('delete'), ...key },
      { $type: $type('create'), ...key, value: await recordOf('two') },
    )
    await eventually(async () => expect(await shown()).toBe('two'))
  })
})

describe('which no server takes, on one that does:', () => {
  let ground: Ground
  beforeAll(async () => {
    ground = await startHostilePlace()
  }, 120_000)
  afterAll(() => ground[Symbol.asyncDispose]())

  rowsOn(
    () => ground,
    hostileRows.filter(({ isUnwritable }) => isUnwritable === true),
  )
})

/** The same place where the records are of another network. */
async function startForeignGround(): Promise<Ground> {
  const place = await startHostilePlace({ environment: { ALSO_SERVE: 'place.wisp' } })
  return {
    app: place.app,
    pageUrl: wispPageUrl,
    repo: foreignRepo(place.repo),
    async problems() {
      const sites = await listSites(place.db, place.repo.did)
      return new Map(
        sites.map(({ live, name, refused }) => [
          recordKeyOf(name),
          (refused ?? live)?.problems ?? [],
        ]),
      )
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  }
}

describe('of another network:', () => {
  let ground: Ground
  beforeAll(async () => {
    ground = await startForeignGround()
  }, 120_000)
  afterAll(() => ground[Symbol.asyncDispose]())

  rowsOn(() => ground, foreignRows)
})

test('H01 none of it was ever the name of a file here', () => {
  expect(existsSync('/tmp/sitehost-pwn')).toBe(false)
})
