// `bun bench/soak/cdn.ts [publishes] [visitors]`: so many versions (600, as many as of an hour with one every six seconds) of a site, one
// after the other, while so many visitors (4) load its pages through Varnish and through nginx, as `deploy/` has them. Every fiftieth
// time its account is inactive in between. No page that is asked for a second after its change may be the one before it.
import { activate, deactivate } from '#tests/support/account-admin.ts'
import { createSession } from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  publishBehindCdn,
  staleMsMax,
  startCdnWorld,
  visitBy,
} from '#tests/support/visitors/behind-cdn.ts'
import { pageUrl } from '#tests/support/visitors/plain-sites.ts'
import { median } from '../support/rows.ts'

const publishes = Number(process.argv[2] ?? 600)
const visitors = Number(process.argv[3] ?? 4)
const publishesOfRound = 50

const cdn = await startCdnWorld()
const { caches, world } = cdn
await world.signedIn('alice.test')
const account = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
const home = pageUrl(world.app, account.did, 'blog')
const totals = new Map<
  string,
  { visits: number; hits: number; stale: number; staleForMs: number[] }
>()
const goneMs: number[] = []

for (let done = 0; done < publishes; done += publishesOfRound) {
  const count = Math.min(publishesOfRound, publishes - done)
  const options = { account, cdn, pauseMs: 2, publishes: count, site: 'blog', visitors }
  for (const [name, end] of Object.entries(
    await publishBehindCdn({ ...options, from: done + 1 }),
  )) {
    const total = totals.get(name) ?? { visits: 0, hits: 0, stale: 0, staleForMs: [] }
    total.visits += end.visits
    total.hits += end.hits
    total.stale += end.stale.length
    total.staleForMs.push(...end.staleForMs.values())
    totals.set(name, total)
  }
  const becomes = (status: number, cache: string | null) =>
    eventually(async () => {
      const answer = await visitBy(home, cache)
      if (answer.status !== status) throw new Error(`${answer.status}, not ${status}`)
    })
  await deactivate(account)
  await becomes(404, null)
  const at = performance.now()
  for (const cache of Object.values(caches)) {
    await becomes(404, cache)
    goneMs.push(performance.now() - at)
  }
  await activate(account)
  for (const cache of [null, ...Object.values(caches)]) await becomes(200, cache)
}

for (const [name, { hits, stale, staleForMs, visits }] of totals) {
  const [p50, longest] = [median(staleForMs), Math.max(...staleForMs)]
  print(`${name}: ${visits} visits, ${((100 * hits) / visits).toFixed(2)} % from the cache`)
  print(`  old for ${p50.toFixed(1)} ms (p50), ${longest.toFixed(0)} ms at most; ${stale} stale`)
  if (stale > 0) process.exitCode = 1
}
print(`taken back ${goneMs.length} times: gone after ${Math.max(...goneMs).toFixed(0)} ms at most`)
if (Math.max(...goneMs) > staleMsMax) process.exitCode = 1

await cdn[Symbol.asyncDispose]()
// The network that tests share has no end of its own.
process.exit()

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
