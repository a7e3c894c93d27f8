import { afterEach, expect, test } from 'bun:test'
import { openDatabase } from '#store/database/database.ts'
import { registerInstance, removeInstance } from '#store/instances.ts'
import { findLease, releaseLease, renewLease, takeOverLease } from '#store/leases.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { eventually } from '#tests/support/eventually.ts'
import { tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { takeServiceLease } from './service-lease.ts'
import { StartError } from './start-failure.ts'

const name = 'service'
const running = new AbortController().signal

onEachStore('main/process/service-lease over a network', (store, dialect, options) => {
  // SQLite has no connection that could break.
  if (dialect === 'sqlite') return
  test('one whose connection broke without a word renews over another, and learns that it was overtaken', async () => {
    const db = store()
    using proxy = tcpProxy(new URL(options().url ?? ''))
    await using renewals = openDatabase({ url: proxy.url, connectionsMax: 1, answerMsMax: 300 })
    const lost = Promise.withResolvers<StartError>()
    const log = recordingLog([])
    await using _lease = await takeServiceLease(db, {
      leaseMs: 60_000,
      renewEveryMs: 5,
      renewalDb: renewals.db,
      log,
      onLost: lost.resolve,
      signal: running,
    })
    const until = async () => (await findLease(db, name))?.leasedUntil ?? 0
    const first = await until()
    await eventually(async () => expect(await until()).toBeGreaterThan(first))

    proxy.breakSilently()
    const broken = await until()
    await eventually(async () => expect(await until()).toBeGreaterThan(broken + 300))
    proxy.breakSilently()
    await eventually(async () => {
      const seen = await findLease(db, name)
      if (seen === null) throw new Error('there is no lease')
      const other = { name, holder: '7 elsewhere id' }
      expect(await takeOverLease(db, seen, other, { now: 0, leaseMs: 1 })).toBe(true)
    })
    expect((await lost.promise).message).toMatch(/took over the database/)
  }, 120_000)
})

onEachStore('main/process/service-lease', (db) => {
  const held: AsyncDisposable[] = []
  afterEach(async () => {
    for (const lease of held.splice(0)) await lease[Symbol.asyncDispose]()
  })
  interface Taker {
    /** So long has a lease to stand still until its holder counts as dead. */
    readonly leaseMs?: number
    /** It never renews. */
    readonly isDead?: boolean
    readonly isOneOfSeveral?: boolean
    readonly signal?: AbortSignal
    /** Gets a line when it finds that there is another. */
    readonly lines?: LoggedLine[]
    readonly onLost?: (reason: StartError) => void
  }
  async function take(taker: Taker = {}): Promise<AsyncDisposable> {
    const { leaseMs = 60_000, isDead = false, lines, onLost = () => {}, signal = running } = taker
    const { isOneOfSeveral = false } = taker
    const lease = await takeServiceLease(db(), {
      isOneOfSeveral,
      leaseMs,
      renewEveryMs: isDead ? 2 ** 30 : 5,
      pollMs: 10,
      log: recordingLog(lines),
      onLost,
      signal,
      renewalDb: db(),
    })
    held.push(lease)
    return lease
  }
  async function found() {
    const lease = await findLease(db(), name)
    if (lease === null) throw new Error('there is no lease')
    return lease
  }

  test('of two at once one starts, and the other says why it does not', async () => {
    await take()
    const second = take()
    await expect(second).rejects.toThrow(StartError)
    await expect(second).rejects.toThrow(
      new RegExp(
        `^another Sitehost uses this database \\(process ${process.pid} on .+\\): stop it`,
      ),
    )
  })

  test('whoever ends gives it back at once', async () => {
    const first = await take()
    await first[Symbol.asyncDispose]()
    await take()
  })

  test('one that died is overtaken when its lease has stood still for long enough', async () => {
    await take({ isDead: true })
    const { holder } = await found()
    await take({ leaseMs: 100 })
    expect((await found()).holder).not.toBe(holder)
  })

  test('who was overtaken learns it as soon as the database answers', async () => {
    const lost = Promise.withResolvers<StartError>()
    await take({ onLost: lost.resolve })
    // Again, where the first renews in between.
    await eventually(async () => {
      const other = { name, holder: '7 elsewhere id' }
      expect(await takeOverLease(db(), await found(), other, { now: 0, leaseMs: 1 })).toBe(true)
    })
    expect((await lost.promise).message).toMatch(
      /^another Sitehost \(process 7 on elsewhere\) took over the database/,
    )
  })

  test('clocks do not matter: whatever time a lease has, it is watched', async () => {
    for (const day of [-86_400_000, 0, 86_400_000]) {
      const first = await take({ isDead: true })
      const lease = await found()
      const lines: LoggedLine[] = []
      const refused = take({ lines })
      await eventually(async () => expect(lines).toHaveLength(1))
      await renewLease(db(), lease, { now: Date.now() + day, leaseMs: 1000 })
      await expect(refused).rejects.toThrow(StartError)
      await first[Symbol.asyncDispose]()
    }
  })

  test('a lease that is gone is taken again', async () => {
    await take()
    const lease = await found()
    await releaseLease(db(), lease)
    await eventually(async () => expect((await found()).holder).toBe(lease.holder))
  })

  test('several share it, and one that is not of them does not start next to them', async () => {
    await take({ isOneOfSeveral: true })
    await take({ isOneOfSeveral: true })
    const only = take()
    await expect(only).rejects.toThrow(StartError)
    await expect(only).rejects.toThrow(/^several instances of Sitehost use this database/)
  })

  test('one of several does not start next to one that is not', async () => {
    await take()
    const several = take({ isOneOfSeveral: true })
    await expect(several).rejects.toThrow(StartError)
    await expect(several).rejects.toThrow(/which is not one of several/)
  })

  test('the last of several gives it back at once', async () => {
    const registered = { ...{ id: 'b', run: 'run', address: '', roles: 'app', version: '' } }
    const [first, last] = [
      await take({ isOneOfSeveral: true }),
      await take({ isOneOfSeveral: true, isDead: true }),
    ]
    await registerInstance(db(), registered)
    await first[Symbol.asyncDispose]()
    await found()
    await removeInstance(db(), registered)
    await last[Symbol.asyncDispose]()
    expect(await findLease(db(), name)).toBeNull()
  })

  test('who is stopped while it waits does not start', async () => {
    await take({ isDead: true })
    const stop = new AbortController()
    const waiting = take({ signal: stop.signal })
    stop.abort()
    await expect(waiting).rejects.toThrow(StartError)
  })
})
