// `bun bench/ask.ts [sites]`: how soon a TLS front that asks for permissions is answered, with so many known sites
// (10 000) and as many claimed names: names that lead to one, and names that nobody has, one after the other and 16 at
// once. Budget: 5 ms. Also how long the names take to be read, and what they take in memory.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { freePort } from '#main/process/free-port.ts'
import { openDatabase } from '#store/database/database.ts'
import { alice, nameOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { fillSites } from './edge/sites.ts'

const count = Number(process.argv[2] ?? 10_000)
const asks = 20_000
const answerMsMax = 5

const dataDir = await mkdtemp(join(tmpdir(), 'sitehost-ask-'))
const { hosts } = await fillSites({ dataDir, baseDomain: 'localhost' }, count)
await claimNames()
const without = await residentBytes('off')
const port = await freePort()
const began = performance.now()
await using service = await start(`127.0.0.1:${port}`)
await eventually(async () => {
  if ((await ask(hosts[0] ?? '')).status !== 200) throw new Error('not read yet')
})
console.log(
  `${2 * count} names: the first is permitted ${ms(performance.now() - began)} after start`,
)
const bytes = (await service.residentBytes()) - without
console.log(`  about ${Math.round(bytes / count)} bytes a known site`)
await measure('known sites', (n) => hosts[n % hosts.length] ?? '', 200)
await measure('claimed names', (n) => `name-${n % count}.localhost`, 200)
await measure('random names', () => `${crypto.randomUUID()}.example.org`, 404)
await measure('random labels', () => `${crypto.randomUUID().slice(0, 8)}.localhost`, 404)
await rm(dataDir, { recursive: true })

async function measure(what: string, nameOf: (n: number) => string, expected: number) {
  for (const atOnce of [1, 16]) {
    const times: number[] = []
    const numbers = Array.from({ length: asks }, (_, n) => n)
    await mapAtOnce(numbers, { atOnce, signal: new AbortController().signal }, async (n) => {
      const asked = performance.now()
      const { status } = await ask(nameOf(n))
      times.push(performance.now() - asked)
      if (status !== expected) throw new Error(`${what}: ${status}`)
    })
    times.sort((a, b) => a - b)
    const [p50 = 0, p99 = 0, most = 0] = [0.5, 0.99, 1].map(
      (part) => times[Math.ceil(part * asks) - 1],
    )
    const verdict = p99 <= answerMsMax ? 'within' : 'OVER'
    console.log(
      `  ${what}, ${atOnce} at once: p50 ${ms(p50)}, p99 ${ms(p99)}, longest ${ms(most)} (${verdict} 5 ms)`,
    )
  }
}

async function ask(name: string): Promise<Response> {
  const answer = await fetch(`http://127.0.0.1:${port}/?domain=${name}`)
  await answer.arrayBuffer()
  return answer
}

async function claimNames(): Promise<void> {
  await using database = openDatabase({ file: join(dataDir, 'sitehost.db') })
  const row = { did: alice, site: nameOf('site-1'), createdAt: 1, updatedAt: 1 }
  for (let n = 0; n < count; n += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - n) }, (_, i) => ({
      ...row,
      domain: `name-${n + i}.localhost`,
    }))
    await database.db.insertInto('subdomains').values(rows).execute()
  }
}

async function residentBytes(askListen: string): Promise<number> {
  await using service = await start(askListen)
  return await service.residentBytes()
}

function start(askListen: string) {
  return startServiceProcess(['serve', '--port', '0', '--data', dataDir], {
    LOG_LEVEL: 'error',
    FIREHOSE_URL: 'http://127.0.0.1:9',
    ASK_LISTEN: askListen,
  })
}

function ms(time: number): string {
  return `${time.toFixed(2)} ms`
}
