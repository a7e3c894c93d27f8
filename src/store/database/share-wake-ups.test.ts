import { afterEach, expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { endConnections, onEachStore } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { appendChange } from './changes.ts'
import { collectedMax, shareWakeUps } from './share-wake-ups.ts'
import { WakeUps, type WakeUpTopic, wakeUpTopics } from './wake-ups.ts'

onEachStore('store/database/share-wake-ups', (db, dialect, options) => {
  // SQLite is for one machine, whose processes poll.
  if (dialect === 'sqlite') return
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  async function process(url = options().url ?? '') {
    const wakeUps = new WakeUps()
    const woken: WakeUpTopic[] = []
    const lines: LoggedLine[] = []
    const stop = new AbortController()
    const facts = { log: recordingLog(lines), signal: stop.signal, checkEveryMs: 200 }
    const sharing = shareWakeUps({ url, wakeUps, ...facts })
    stops.push(async () => {
      stop.abort()
      await sharing
    })
    const isShared = () => eventually(async () => expect(wakeUps.areShared).toBe(true))
    await isShared()
    wakeUps.forward(wakeUpTopics, (topic) => woken.push(topic))
    return { isShared, lines, wakeUps, woken }
  }

  test('a wake-up of one process wakes the others, and none comes back', async () => {
    const [one, two] = [await process(), await process()]
    for (let n = 0; n < 100; n++) one.wakeUps.notify('site')
    one.wakeUps.notify('jobs')
    await eventually(async () => expect(two.woken.toSorted()).toEqual(['jobs', 'site']))
    two.wakeUps.notify('account')
    await eventually(async () => expect(one.woken).toContain('account'))
    expect([one.woken.length, two.woken.length]).toEqual([102, 3])
  })

  test('what a wake-up is about goes along, and what was settled at once is not sent', async () => {
    const [one, two] = [await process(), await process()]
    const told: unknown[] = []
    two.wakeUps.forward(['job-progress'], (_, about) => told.push(about))
    one.wakeUps.notify('site')
    one.wakeUps.settle('site')
    for (const about of ['a', 'b', 'a']) one.wakeUps.notify('job-progress', { about })
    await eventually(async () => expect(told).toEqual(['a', 'b']))
    expect(two.woken).toEqual(['job-progress', 'job-progress'])
  })

  test('of very many rows at once, the last ones share one wake-up about any', async () => {
    const [one, two] = [await process(), await process()]
    const told: unknown[] = []
    two.wakeUps.forward(['job-progress'], (_, about) => told.push(about))
    const rows = Array.from({ length: collectedMax + 100 }, (_, n) => `job-${n}`)
    for (const about of rows) one.wakeUps.notify('job-progress', { about })
    one.wakeUps.notify('jobs')
    await eventually(async () => expect(two.woken).toContain('jobs'))
    expect(told).toEqual([...rows.slice(0, collectedMax), undefined])
  })

  test('a committed change wakes all, whoever has written it', async () => {
    const processes = [await process(), await process()]
    await appendChange(db(), siteOf('a'), 1)
    for (const { woken } of processes) {
      await eventually(async () => expect(woken).toEqual(['changes']))
    }
  })

  test('after a connection was lost, everything is woken', async () => {
    const one = await process()
    await endConnections(options().url ?? '')
    await eventually(async () => expect(one.woken.toSorted()).toEqual([...wakeUpTopics].toSorted()))
    await one.isShared()
    expect(one.lines.map(({ message }) => message)).toEqual(['wake-ups are not shared'])
  })

  test('so it is when the connection broke without a word', async () => {
    using proxy = tcpProxy(new URL(options().url ?? ''))
    const one = await process(proxy.url)
    proxy.breakSilently()
    await eventually(async () => expect(one.wakeUps.areShared).toBe(false))
    await one.isShared()
    expect(one.woken).toContain('changes')
  }, 60_000)
})
