// `bun bench/firehose.ts [events]`: how many events a second one core filters, from the socket to the loop
// that takes them, and what a loop that takes none costs. The source is a process of its own, which sends
// prepared frames of real size as fast as they are taken; the reader's processor time is what counts.

import { setTimeout } from 'node:timers/promises'
import * as Cbor from '@atcute/cbor'
import { firehoseEvents } from '#tests/support/servers/firehose-events.ts'

const events = Number(process.argv[2] ?? 200_000)
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const collections = new Set(['place.sitehost.fs', 'place.sitehost.subfs'])
const link = Cbor.toBytes(crypto.getRandomValues(new Uint8Array(32)))

interface Row {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly isMet: (value: number) => boolean
  readonly budget: string
  readonly detail: string
}

async function main(): Promise<void> {
  if (process.argv[2] === 'source') return serve()
  const source = Bun.spawn({
    cmd: [process.execPath, import.meta.path, 'source'],
    stdout: 'pipe',
    stdin: 'ignore',
  })
  const { value } = await source.stdout.getReader().read()
  const origin = `ws://127.0.0.1:${new TextDecoder().decode(value).trim()}`
  try {
    print(await filtered('subscribeRepos, 1 of 1000 ours', origin))
    print(await filtered('Jetstream, all ours or of accounts', `${origin}/subscribe`))
    print(await stalled('nobody takes them: memory', origin))
    print(await stalled('the same, Jetstream', `${origin}/subscribe`))
  } finally {
    source.kill()
  }
}

async function filtered(what: string, url: string): Promise<Row> {
  const stop = new AbortController()
  const before = process.cpuUsage()
  const start = performance.now()
  let ours = 0
  for await (const event of follow(url, stop.signal)) {
    if (event.kind === 'site') ours += 1
    if ((event.cursor ?? 0) >= events) stop.abort()
  }
  const { user, system } = process.cpuUsage(before)
  const seconds = (performance.now() - start) / 1000
  return {
    what,
    value: events / ((user + system) / 1e6),
    unit: 'events a processor second',
    isMet: (value) => value >= 10_000,
    budget: '≥ 10000',
    detail: `${(events / seconds).toFixed(0)} a second by the clock, ${ours} of ours`,
  }
}

async function stalled(what: string, url: string): Promise<Row> {
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const stop = new AbortController()
  const following = follow(url, stop.signal)
  await following.next()
  let peak = before
  for (let i = 0; i < 60; i++) {
    await setTimeout(50)
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  stop.abort()
  await following.return(undefined)
  return {
    what,
    value: (peak - before) / 1024 / 1024,
    unit: 'MB more than before',
    isMet: (value) => value <= 32,
    budget: '≤ 32',
    detail: 'in 3 s',
  }
}

const follow = (url: string, signal: AbortSignal) =>
  firehoseEvents({
    ...{ url, signal, collections, cursor: 0 },
    onProblem: (problem) => process.stdout.write(`${problem}\n`),
  })

/** The source: counts up from 1, however often it is asked. */
function serve(): void {
  const server = Bun.serve<{ frameOf: (n: number) => string | Uint8Array; sent: number }>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      const isJetstream = new URL(request.url).pathname === '/subscribe'
      const frameOf = isJetstream ? jetstreamFrame : reposFrame
      return self.upgrade(request, { data: { frameOf, sent: 0 } }) ? undefined : new Response()
    },
    websocket: { message: () => undefined, open: send, drain: send },
  })
  process.stdout.write(`${server.port}\n`)
}

function send(
  socket: Bun.ServerWebSocket<{ frameOf: (n: number) => string | Uint8Array; sent: number }>,
): void {
  for (;;) {
    socket.data.sent += 1
    if (socket.send(socket.data.frameOf(socket.data.sent)) <= 0) return
  }
}

const blocks = Cbor.toBytes(crypto.getRandomValues(new Uint8Array(4000)))

/** A commit of one record, with the blocks that prove it, but for a few identities and accounts. */
function reposFrame(seq: number): Uint8Array {
  const time = '2026-01-01T00:00:00.000Z'
  if (seq % 100 === 0) return frame('#identity', { seq, did, time, handle: 'a.example' })
  const collection = seq % 1000 === 1 ? 'place.sitehost.fs' : 'app.bsky.feed.like'
  return frame('#commit', {
    ...{ seq, repo: did, time, blocks, rebase: false, tooBig: false, blobs: [] },
    ...{ rev: '3kaaaaaaaaaa2', since: '3kaaaaaaaaaa2', commit: link, prevData: link },
    ops: [{ action: 'create', path: `${collection}/3k${seq}`, cid: link }],
  })
}

const frame = (t: string, body: object): Uint8Array =>
  Buffer.concat([Cbor.encode({ op: 1, t }), Cbor.encode(body)])

function jetstreamFrame(timeUs: number): string {
  const about = { did, time_us: timeUs }
  if (timeUs % 2) return JSON.stringify({ ...about, kind: 'identity', identity: { did, seq: 1 } })
  const record = { $type: 'place.sitehost.fs', root: { entries: manifest } }
  return JSON.stringify({
    ...{ ...about, kind: 'commit' },
    commit: {
      ...{ rev: '3k', operation: 'create', collection: 'place.sitehost.fs' },
      rkey: `3k${timeUs}`,
      record,
    },
  })
}

const manifest = Array.from({ length: 20 }, (_, i) => ({
  name: `page-${i}.html`,
  node: { type: 'file', blob: { $type: 'blob', ref: { $link: 'bafkrei' }, size: 1000 } },
}))

function print({ what, value, unit, isMet, budget, detail }: Row): void {
  const verdict = isMet(value) ? budget : `MISSED ${budget}`
  process.stdout.write(
    `${what.padEnd(40)}${value.toFixed(0).padStart(8)} ${unit.padEnd(28)}${verdict.padEnd(16)}${detail}\n`,
  )
}

await main()
