// `bun bench/soak/slow-servers.ts [attack...]`: what somebody with a quick server waits from commit to visible while a thousand
// accounts of slow servers are asked for again and again (`drip`: blobs at 1 kB/s, one server; `drip-40`: forty servers), while
// accounts write bombs (`bombs`: three blobs of 97 kB that inflate to 95 MB each; `bombs-40`: on forty servers; `bombs-new`: these, not seen before), and sites of a hundred parts (`parts`). The
// site that is waited for is gzipped, and its earlier versions took the thread that inflates, too. Two seconds at most.
import { gzipSync } from 'node:zlib'
import { accountOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startHostilePlace } from '#tests/support/hostile/hostile-place.ts'
import { fileIn, manifest } from '#tests/support/hostile/hostile-rows.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'

interface Attack {
  readonly accounts: number
  readonly servers: number
  readonly eventsPerSecond: number
  /** So long after the first events the first sample is taken. */
  readonly leadSeconds?: number
  readonly prepare: (pds: FakePds, round: number) => Promise<void>
}

const leadSecondsDefault = 35
const samples = 12
const visibleMsMax = 2_000
const giveUpMs = 60_000
const path = 'place.sitehost.fs/blog'
const largeBytes = 4_000_000
const zeros = gzipSync(Buffer.alloc(95_000_000))

const attacks: Record<string, Attack> = {
  drip: { accounts: 1_000, servers: 1, eventsPerSecond: 25, prepare: drip },
  'drip-40': { accounts: 1_000, servers: 40, eventsPerSecond: 25, prepare: drip },
  bombs: { accounts: 400, servers: 1, eventsPerSecond: 25, prepare: bombs },
  'bombs-40': { accounts: 400, servers: 40, eventsPerSecond: 25, prepare: bombs },
  'bombs-new': { accounts: 400, servers: 40, eventsPerSecond: 25, leadSeconds: 0, prepare: bombs },
  parts: { accounts: 40, servers: 1, eventsPerSecond: 10, prepare: parts },
}
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(attacks)
let isOver = false
for (const name of chosen) isOver = (await run(name, attacks[name] as Attack)) || isOver
process.exitCode = isOver ? 1 : 0

async function run(name: string, attack: Attack): Promise<boolean> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(
    await startHostilePlace({ isApart: true, environment: { INGEST: 'all' } }),
  )
  const page = pageUrl(place.app, place.repo.did, 'blog')
  const commitToVisible = async (): Promise<number> => {
    const text = `version ${crypto.randomUUID()}`
    const index = await fileIn(place.repo, gzipped(text), { encoding: 'gzip' })
    const large = await fileIn(place.repo, gzipped(text.padEnd(largeBytes)), { encoding: 'gzip' })
    const entries = [
      { name: 'index.html', node: index },
      { name: 'large.txt', node: large },
    ]
    const start = performance.now()
    await place.repo.put(path, manifest('blog', entries))
    while (performance.now() - start < giveUpMs) {
      const answer = await visit(page)
      if (typeof answer !== 'number' && JSON.stringify(answer).includes(text)) break
      await Bun.sleep(10)
    }
    return performance.now() - start
  }
  const sample = async () => {
    const times: number[] = []
    for (let n = 0; n < samples; n++) {
      times.push(await commitToVisible())
      await Bun.sleep(300)
    }
    return times
  }
  await eventually(commitToVisible)
  const quiet = await sample()
  const accounts: FakePds[] = []
  const fronts = Array.from({ length: attack.servers }, () => startFront(accounts, opened))
  for (let n = 0; n < attack.accounts; n++) {
    const pds = opened.use(await startFakePds(accountOf(n)))
    await attack.prepare(pds, 0)
    accounts.push(pds)
    const front = fronts[n % fronts.length] as string
    const document = structuredClone(pds.document) as { service: { serviceEndpoint: string }[] }
    for (const service of document.service) service.serviceEndpoint = front
    place.pds.others.push({ did: pds.did, document: document as never })
  }
  let told = 0
  const telling = setInterval(async () => {
    const pds = accounts[told++ % accounts.length] as FakePds
    if (told > accounts.length) await attack.prepare(pds, Math.floor(told / accounts.length))
    place.tell.commit(pds.did, path)
  }, 1000 / attack.eventsPerSecond)
  // All of them are met at once.
  for (const { did } of accounts) place.tell.commit(did, path)
  await Bun.sleep((attack.leadSeconds ?? leadSecondsDefault) * 1000)
  const attacked = await sample()
  clearInterval(telling)
  const worst = Math.max(...attacked)
  process.stdout.write(
    `${name}: quiet ${figures(quiet)}; attacked ${figures(attacked)} ` +
      `(${worst <= visibleMsMax ? 'within' : 'OVER'} ${visibleMsMax} ms)\n`,
  )
  return worst > visibleMsMax
}

function gzipped(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(text))
}

/** One server of many accounts: asks the account's own, wherever that is. */
function startFront(accounts: readonly FakePds[], opened: AsyncDisposableStack): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search, searchParams } = new URL(request.url)
      const did = searchParams.get('did') ?? searchParams.get('repo')
      const pds = accounts.find((each) => each.did === did)
      if (pds === undefined) return new Response(null, { status: 404 })
      return await fetch(new URL(pathname + search, pds.url), { signal: request.signal })
    },
  })
  opened.defer(() => server.stop(true))
  return server.url.origin
}

/** The same site in another version each time, so that its files are fetched again. */
async function drip(pds: FakePds, round: number): Promise<void> {
  if (round > 0) return
  const blob = pds.addBlob(crypto.getRandomValues(new Uint8Array(60_000)))
  pds.lies.blob = (bytes) => {
    let at = 0
    return new Response(
      new ReadableStream({
        async pull(controller) {
          await Bun.sleep(1_000)
          controller.enqueue(bytes.subarray(at, at + 1_000))
          at += 1_000
          if (at >= bytes.length) controller.close()
        },
      }),
    )
  }
  const node = { $type: 'place.sitehost.fs#file', type: 'file', blob, mimeType: 'text/plain' }
  await pds.putRecord(path, manifest('blog', [{ name: 'a.txt', node }]))
}

async function bombs(pds: FakePds, round: number): Promise<void> {
  const nodes = [0, 1, 2].map((n) => {
    const blob = pds.addBlob(bombOf(`${pds.did} ${round} ${n}`))
    return {
      $type: 'place.sitehost.fs#file',
      type: 'file',
      blob,
      mimeType: 'text/plain',
      encoding: 'gzip',
    }
  })
  await pds.putRecord(
    path,
    manifest(
      'blog',
      nodes.map((node, n) => ({ name: `${n}.txt`, node })),
    ),
  )
}

/** 95 MB of zeros with a name in its header, so that each is another blob. */
function bombOf(name: string): Uint8Array {
  const head = Buffer.from(zeros.subarray(0, 10))
  head[3] = 0x08 // FNAME, RFC 1952 §2.3.1
  return Buffer.concat([head, Buffer.from(`${name}\0`), zeros.subarray(10)])
}

async function parts(pds: FakePds, round: number): Promise<void> {
  const blob = pds.addBlob(`page ${round}`)
  const node = { $type: 'place.sitehost.fs#file', type: 'file', blob, mimeType: 'text/plain' }
  const entries = Array.from({ length: 100 }, async (_, n) => {
    const inside = Array.from({ length: 47 }, (_, m) => ({ name: `${m}.txt`, node }))
    const rkey = `part-${round % 2}-${n}`
    await pds.putRecord(`place.sitehost.subfs/${rkey}`, {
      $type: 'place.sitehost.subfs',
      root: { type: 'directory', entries: inside },
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    const subject = `at://${pds.did}/place.sitehost.subfs/${rkey}`
    return { name: `part-${n}`, node: { $type: 'place.sitehost.fs#subfs', type: 'subfs', subject } }
  })
  await pds.putRecord(path, manifest('blog', await Promise.all(entries)))
}

function figures(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const p50 = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return `p50 ${p50.toFixed(0)} ms, max ${(sorted.at(-1) ?? Number.NaN).toFixed(0)} ms`
}
