import { expect, test } from 'bun:test'
import { type SoakFormat, soak } from '#tests/support/publishing/ingest-soak.ts'

// Events with lost connections, repetitions and kills; `bench/soak/ingest-events.ts` does the same with more.

test.each(['subscribeRepos', 'jetstream'] satisfies SoakFormat[])(
  'over 200 events of %s and 3 kills, the index is what the repositories are',
  async (format) => {
    const figures = await soak({
      ...{ format, seed: 5, events: 200, accounts: 20, eventEveryMs: 10 },
      kill: { everyEvents: 60 },
    })
    expect(figures).toMatchObject({ kills: 3 })
    expect(figures.events).toBeGreaterThanOrEqual(200)
    expect(figures.changes).toBeGreaterThan(30)
  },
  120_000,
)
