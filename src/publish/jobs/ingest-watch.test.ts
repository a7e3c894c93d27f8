import { expect, test } from 'bun:test'
import { WakeUps } from '#store/database/wake-ups.ts'
import { ingestedOf } from '#store/queues/work-items.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { watchIngest } from './ingest-watch.ts'

const itemOf = ({ did, name }: ReturnType<typeof siteOf>) =>
  ({ kind: 'site', did, site: name }) as const

test('a job looks again when its own item was read, and not when others were', async () => {
  const wakeUps = new WakeUps()
  wakeUps.share(true)
  const watch = watchIngest({ wakeUps, elapsed: () => 0 }, new AbortController().signal)
  let isRead = false
  let looks = 0
  const seen = watch(itemOf(siteOf('blog')), async () => {
    looks++
    return isRead ? 'read' : null
  })
  for (const name of ['other', 'another', 'blog']) {
    isRead = name === 'blog'
    wakeUps.notify('ingested', { about: ingestedOf(itemOf(siteOf(name))) })
    // Whoever was woken has looked.
    await new Promise(setImmediate)
  }
  expect([await seen, looks]).toEqual(['read', 2])
})
