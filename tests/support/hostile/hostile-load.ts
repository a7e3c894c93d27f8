import { accountOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import { type HostilePlace, repoOf, startHostilePlace } from './hostile-place.ts'
import { fileIn, type HostileRepo, hostileRows, manifest } from './hostile-rows.ts'

/** As many as are read at once. */
const attackersUsual = 4
const path = 'place.sitehost.fs/blog'

/** A service in a process of its own, with a page to visit and accounts that mean harm. */
export interface HostileLoad extends AsyncDisposable {
  readonly place: HostilePlace
  readonly page: URL
  /** Every attacker writes every row, this often or until the signal ends it; how many versions that were. */
  attack(options: { rounds?: number; signal?: AbortSignal }): Promise<number>
}

export async function startHostileLoad(attackers = attackersUsual): Promise<HostileLoad> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(
    await startHostilePlace({ isApart: true, environment: { INGEST: 'all' } }),
  )
  const servers: FakePds[] = []
  for (let n = 0; n < attackers; n++) {
    const server = opened.use(await startFakePds(accountOf(n)))
    place.pds.others.push(server)
    servers.push(server)
  }
  const page = pageUrl(place.app, place.repo.did, 'blog')
  const node = await fileIn(place.repo, '<h1>of somebody else</h1>'.repeat(100))
  await place.repo.put(path, manifest('blog', [{ name: 'index.html', node }]))
  await eventually(async () => {
    // A site that is about to come is a 503.
    if (typeof (await visit(page)) === 'number') throw new Error('not live')
  })
  const open = opened.move()
  return {
    ...{ place, page },
    async attack({ rounds = Number.POSITIVE_INFINITY, signal }) {
      const counts = await Promise.all(
        servers.map((server, n) => attackBy(server, { place, rounds, signal, first: n * 12 })),
      )
      return counts.reduce((sum, count) => sum + count, 0)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

interface Attack {
  readonly place: HostilePlace
  readonly rounds: number
  readonly signal: AbortSignal | undefined
  /** Which row comes first: not all do the same at once. */
  readonly first: number
}

async function attackBy(
  server: FakePds,
  { place, rounds, signal, first }: Attack,
): Promise<number> {
  let written = 0
  const repo: HostileRepo = repoOf(server, (at) => place.tell.commit(server.did, at))
  const rows = [...hostileRows.slice(first), ...hostileRows.slice(0, first)]
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      if (signal?.aborted) return written
      const asked = server.requests.length
      await repo.put(path, await row.record(repo, 'blog'))
      written += 1
      await eventually(async () => {
        if (server.requests.length === asked) throw new Error('not heard')
        if (await isBusy(place, server)) throw new Error('still busy')
      }, 60_000)
    }
  }
  return written
}

/** Whether something of this account waits to be read, or is being read. */
async function isBusy({ db }: HostilePlace, { did }: FakePds): Promise<boolean> {
  const waiting = await db
    .selectFrom('workItems')
    .select('did')
    .where('did', '=', did)
    .where('kind', '=', 'site')
    .where('nextAttemptAt', '<=', Date.now())
    .execute()
  return waiting.length > 0
}
