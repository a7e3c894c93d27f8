import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Log } from '#observe/log.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { encodeSnapshot } from '#site/visit/snapshot.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { followChanges } from '#store/database/change-feed.ts'
import { latestChangeSeq, pruneChanges, readChanges } from '#store/database/changes.ts'
import type { Database } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { tellNames } from '#store/names/tell-names.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { originOf } from '#tests/support/visitors/edge.ts'
import { goLive, snapshotOf, storedFile } from '#tests/support/visitors/served-site.ts'
import { Hosts } from './names/hosts.ts'
import { forgetChanged, SiteCache } from './site-cache.ts'

let database: Database
let queries: string[]
let unreadable: SiteAddress[]
/** Of the database, for the caches that were opened. */
let isAway: boolean
/** What its answers wait for. */
let answers: Promise<void>
let now: number
beforeEach(async () => {
  database = await memoryDatabase()
})
afterEach(() => database[Symbol.asyncDispose]())
// Statements are compiled with the first load of the process, which looks at the database once more for each.
beforeAll(async () => {
  database = await memoryDatabase()
  await cidOf(open(), await publish('blog'))
  await database[Symbol.asyncDispose]()
})

const { file } = storedFile({ body: 'x' })
const versionOf = (name: string, n: number) =>
  snapshotOf({ 'index.html': file }, { ...siteOf(name), recordCid: `cid-${n}` })
const publish = (name: string, n = 1) =>
  goLive(database.db, versionOf(name, n), `3kaaaaaaaaaa${n + 1}`)
const bytesOf = (name: string) => encodeSnapshot(versionOf(name, 1)).length * 3

/** The site with its primary address, and its earlier versions: of records, and of states. */
const loadQueries = 3

/** SiteCache, and the labels that were read from the store for them. */
function open(
  bytesMax = 1_000_000,
  elapsed = () => performance.now(),
  newVersionMsMax = 10_000,
): SiteCache {
  queries = []
  unreadable = []
  isAway = false
  answers = Promise.resolve()
  now = 1
  const counting = new Proxy(database.db, {
    get: (db, key) => {
      // What `prepared` looks at in each run.
      if (key === 'getExecutor') queries.push('read')
      if (isAway) throw new DatabaseUnavailableError('postgres', new Error('away'))
      const value = Reflect.get(db, key)
      if (key === 'executeQuery')
        return async (...asked: Parameters<typeof db.executeQuery>) => {
          await answers
          return await db.executeQuery(...asked)
        }
      return typeof value === 'function' ? value.bind(db) : value
    },
  })
  return new SiteCache({
    baseDomain: 'sites.test',
    db: counting,
    log: recordingLog(),
    now: () => now,
    elapsed,
    bytesMax,
    earlierBytesMax: 1_000_000,
    originOf,
    onUnreadable: (site) => unreadable.push(site),
    newVersionMsMax,
  })
}

function follower(snapshots: SiteCache, db = database.db) {
  const hosts = new Hosts({ db, originOf })
  const names = { hosts, addresses: hosts, gone: hosts, previews: hosts, takedowns: hosts }
  return forgetChanged({ ...names, snapshots })
}
const cidOf = async (snapshots: SiteCache, label: string) =>
  (await snapshots.get(label))?.site.snapshot.recordCid ?? null

describe('snapshots', () => {
  test('one load, however many ask; then none', async () => {
    const label = await publish('blog')
    const snapshots = open()
    const answers = await Promise.all(Array.from({ length: 50 }, () => cidOf(snapshots, label)))
    expect(new Set(answers)).toEqual(new Set(['cid-1']))
    expect(queries).toHaveLength(loadQueries)
    expect(snapshots.get(label)).not.toBeInstanceOf(Promise)
    expect(queries).toHaveLength(loadQueries)
  })

  test('a label that nobody has is looked up again after a second: it may come to be', async () => {
    let time = 0
    const snapshots = open(1_000_000, () => time)
    const label = siteLabel(siteOf('blog'))
    expect(await snapshots.get(label)).toBeNull()
    await publish('blog')
    time = 999
    expect(await snapshots.get(label)).toBeNull()
    time = 1000
    expect(await cidOf(snapshots, label)).toBe('cid-1')
  })

  test('a site of an account that is not active is none', async () => {
    const label = await publish('blog')
    await setAccountStatus(database.db, alice, 'deactivated', 1)
    expect(await open().get(label)).toBeNull()
  })

  test('a load that failed is tried again', async () => {
    const label = await publish('blog')
    const snapshots = open()
    await database.db.updateTable('versions').set({ snapshot: '{}' }).execute()
    await expect(Promise.resolve(snapshots.get(label))).rejects.toThrow('not a snapshot')
    expect(unreadable).toMatchObject([siteOf('blog')])
    await database.db
      .updateTable('versions')
      .set({ snapshot: encodeSnapshot(versionOf('blog', 1)) })
      .execute()
    expect(await cidOf(snapshots, label)).toBe('cid-1')
  })

  test('those go that were not used, when there is too much', async () => {
    const [a, b, c, d] = [
      await publish('a'),
      await publish('b'),
      await publish('c'),
      await publish('d'),
    ]
    const snapshots = open(bytesOf('a') * 2)
    const isKept = (label: string) => !(snapshots.get(label) instanceof Promise)
    for (const label of [a, b, c]) await snapshots.get(label)
    expect(isKept(c)).toBe(true)
    await snapshots.get(d)
    expect([isKept(c), isKept(d)]).toEqual([true, true])
    expect(isKept(b)).toBe(false)
    await snapshots.get(b)
  })

  test('answers made of a site count as well, and go with it', async () => {
    const [a, b] = [await publish('a'), await publish('b')]
    const snapshots = open(bytesOf('a') * 2)
    const kept = await snapshots.get(a)
    await snapshots.get(b)
    kept?.answerTo(
      { kind: 'file', status: 200, path: 'index.html', file, isForEveryone: true, vary: [] },
      {
        host: 'a.test',
        pathname: '/',
        isUnderBaseDomain: true,
        shows: 'live',
        canonical: null,
      },
    )
    expect(snapshots.stats.bytes).toBeLessThanOrEqual(bytesOf('a') * 2)
    expect(snapshots.stats.evictions).toBeGreaterThan(0)
  })

  test('exactly as much as is allowed stays, a byte more does not', async () => {
    const [a, b] = [await publish('a'), await publish('b')]
    for (const [bytesMax, kept] of [
      [bytesOf('a') * 2, true],
      [bytesOf('a') * 2 - 1, false],
    ] as const) {
      const snapshots = open(bytesMax)
      await snapshots.get(a)
      await snapshots.get(b)
      expect(snapshots.get(a) instanceof Promise).toBe(!kept)
      await snapshots.get(a)
    }
  })

  test('what was forgotten makes room again', async () => {
    const [a, b] = [await publish('a'), await publish('b')]
    const snapshots = open(bytesOf('a') * 2)
    for (let i = 0; i < 5; i++) {
      await snapshots.get(a)
      snapshots.forget(a)
      snapshots.forget(a)
    }
    await snapshots.get(a)
    await snapshots.get(b)
    expect(snapshots.get(a)).not.toBeInstanceOf(Promise)
    snapshots.forgetAll()
    await snapshots.get(b)
    await snapshots.get(a)
    expect(snapshots.get(b)).not.toBeInstanceOf(Promise)
    expect(snapshots.stats.bytes).toBe(bytesOf('a') * 2)
  })

  for (const how of ['forget', 'forgetAll'] as const) {
    test(`a load that ${how} overtook is not kept`, async () => {
      const label = await publish('blog')
      const snapshots = open()
      const early = snapshots.get(label)
      snapshots[how](label)
      const late = snapshots.get(label)
      expect(late).not.toBe(early)
      await Promise.all([early, late])
      expect(queries).toHaveLength(2 * loadQueries)
      expect(snapshots.get(label)).toBe((await late) as never)
      expect(snapshots.get(label)).not.toBe((await early) as never)
    })
  }
})

describe('changes', () => {
  const warnings: string[] = []
  const warn: Log['warn'] = (message) => warnings.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn, error: () => {} }

  async function follow(
    snapshots: SiteCache,
    act: (wakeUps: WakeUps) => Promise<void>,
    db = database.db,
  ) {
    const [stop, wakeUps] = [new AbortController(), new WakeUps()]
    const edge = follower(snapshots, db)
    const following = followChanges([edge], { db, wakeUps, log, pollMs: 5, signal: stop.signal })
    try {
      await act(wakeUps)
    } finally {
      stop.abort()
      await following
    }
  }
  const becomes = (snapshots: SiteCache, label: string, cid: string | null) =>
    eventually(async () => expect(await cidOf(snapshots, label)).toBe(cid), 2000)

  test('a new version is seen at the wake-up, the next one without it', async () => {
    const label = await publish('blog')
    const snapshots = open()
    await follow(snapshots, async (wakeUps) => {
      await becomes(snapshots, label, 'cid-1')
      await publish('blog', 2)
      wakeUps.notify('changes')
      await becomes(snapshots, label, 'cid-2')
      await publish('blog', 3)
      await becomes(snapshots, label, 'cid-3')
    })
  })

  test('one that came before the following began is seen too', async () => {
    const label = await publish('blog')
    const snapshots = open()
    await snapshots.get(label)
    await publish('blog', 2)
    await follow(snapshots, () => becomes(snapshots, label, 'cid-2'))
  })

  test('so is the end of a site', async () => {
    const label = await publish('blog')
    const snapshots = open()
    await follow(snapshots, async (wakeUps) => {
      await becomes(snapshots, label, 'cid-1')
      await setAccountStatus(database.db, alice, 'takendown', 1)
      wakeUps.notify('changes')
      await becomes(snapshots, label, null)
    })
  })

  test('a database that is away is waited for, and what changed meanwhile is seen', async () => {
    const label = await publish('blog')
    const snapshots = open()
    let isAway = false
    const away = () => {
      throw new DatabaseUnavailableError('postgres', new Error('away'))
    }
    const shaky = new Proxy(database.db, {
      get(db, key) {
        if (isAway) return away
        const value = Reflect.get(db, key)
        return typeof value === 'function' ? value.bind(db) : value
      },
    })
    await follow(
      snapshots,
      async (wakeUps) => {
        await becomes(snapshots, label, 'cid-1')
        isAway = true
        await publish('blog', 2)
        wakeUps.notify('changes')
        await eventually(async () => expect(warnings).toContain('changes waits for the database'))
        isAway = false
        await becomes(snapshots, label, 'cid-2')
      },
      shaky,
    )
  })

  test('who slept longer than changes are kept starts afresh', async () => {
    const label = await publish('blog')
    const snapshots = open()
    await follow(snapshots, async (wakeUps) => {
      await becomes(snapshots, label, 'cid-1')
      await publish('blog', 2)
      await publish('other')
      await publish('other', 2)
      await pruneChanges(database.db, Number.MAX_SAFE_INTEGER)
      wakeUps.notify('changes')
      await becomes(snapshots, label, 'cid-2')
    })
  })
})

describe('what has changed while the database is away', () => {
  let elapsed: number
  const served = async (snapshots: SiteCache, label: string) =>
    (await snapshots.get(label))?.site.snapshot.recordCid ?? null

  async function changed(): Promise<{ snapshots: SiteCache; label: string }> {
    elapsed = 0
    const label = await publish('blog')
    const snapshots = open(1_000_000, () => elapsed)
    expect(await served(snapshots, label)).toBe('cid-1')
    await publish('blog', 2)
    isAway = true
    snapshots.replace(label)
    return { snapshots, label }
  }

  test('is served as it was, and asked for again after a second', async () => {
    const { label, snapshots } = await changed()
    expect(await served(snapshots, label)).toBe('cid-1')
    const asked = queries.length
    expect(await served(snapshots, label)).toBe('cid-1')
    expect(queries).toHaveLength(asked)
    now += 1_000
    expect(await served(snapshots, label)).toBe('cid-1')
    expect(queries.length).toBeGreaterThan(asked)
    isAway = false
    now += 1_000
    expect(await served(snapshots, label)).toBe('cid-2')
  })

  test('is served as a load has found it that the next version overtook', async () => {
    const label = await publish('blog')
    const snapshots = open()
    expect(await served(snapshots, label)).toBe('cid-1')
    await publish('blog', 2)
    snapshots.replace(label)
    const overtaken = served(snapshots, label)
    snapshots.replace(label)
    snapshots.forget('another site')
    expect(await overtaken).toBe('cid-2')
    isAway = true
    expect(await served(snapshots, label)).toBe('cid-2')
  })

  test('is not served any more after a minute', async () => {
    const { label, snapshots } = await changed()
    elapsed = 59_999
    expect(await served(snapshots, label)).toBe('cid-1')
    elapsed = 60_000
    now += 1_000
    await expect(served(snapshots, label)).rejects.toThrow(DatabaseUnavailableError)
  })

  for (const [what, takeBack] of [
    [
      'a takedown',
      async () => {
        const { did, name } = siteOf('blog')
        const takedown = {
          did,
          site: name,
          status: 451,
          reason: 'r',
          actor: 'ruth',
          at: 1,
        } as const
        await putTakedown(database.db, takedown)
        await tellNames(database.db, { did, name }, 1)
      },
    ],
    ['the status of its account', () => setAccountStatus(database.db, alice, 'takendown', 1)],
  ] as const) {
    test(`is not served when ${what} took it back, also after a new version`, async () => {
      elapsed = 0
      const label = await publish('blog')
      const snapshots = open(1_000_000, () => elapsed)
      expect(await served(snapshots, label)).toBe('cid-1')
      const start = await latestChangeSeq(database.db)
      await publish('blog', 2)
      await takeBack()
      const changes = await readChanges(database.db, start)
      isAway = true
      follower(snapshots).follow(changes.slice(0, 1))
      expect(await served(snapshots, label)).toBe('cid-1')
      follower(snapshots).follow(changes)
      await expect(served(snapshots, label)).rejects.toThrow(DatabaseUnavailableError)
    })
  }

  test('is not served when it was taken back before, or was not known', async () => {
    const { label, snapshots } = await changed()
    isAway = false
    await setAccountStatus(database.db, alice, 'takendown', 1)
    expect(await served(snapshots, label)).toBeNull()
    isAway = true
    snapshots.replace(label)
    await expect(served(snapshots, label)).rejects.toThrow(DatabaseUnavailableError)
  })
})

describe('a new version that the database is slow to tell', () => {
  async function changed(...names: string[]) {
    const labels = await Promise.all(names.map((name) => publish(name)))
    const snapshots = open(1_000_000, undefined, 1)
    for (const label of labels) await snapshots.get(label)
    for (const name of names) await publish(name, 2)
    const { promise, resolve } = Promise.withResolvers<void>()
    answers = promise
    for (const label of labels) snapshots.replace(label)
    return { snapshots, labels, answer: resolve }
  }

  test('leaves the one before it to visitors, until it is there', async () => {
    const { answer, labels, snapshots } = await changed('blog')
    const [label = ''] = labels
    expect(await cidOf(snapshots, label)).toBe('cid-1')
    answer()
    await eventually(async () => expect(await cidOf(snapshots, label)).toBe('cid-2'))
    expect(snapshots.get(label)).not.toBeInstanceOf(Promise)
  })

  test('is waited for when the one before it was taken back', async () => {
    const { answer, labels, snapshots } = await changed('blog', 'other')
    const [label = '', other = ''] = labels
    const visit = cidOf(snapshots, label)
    snapshots.forget(label)
    expect(await cidOf(snapshots, other)).toBe('cid-1')
    expect(Bun.peek.status(visit)).toBe('pending')
    answer()
    expect(await visit).toBe('cid-2')
  })
})
