// `bun bench/soak/ingest-events.ts [events] [seed]`: repositories with random lives, told by a source that loses
// connections and repeats itself, to a service that is killed about every second; in both formats of a
// firehose. Ends with an error unless the index is what the repositories are.
import { type SoakFormat, soak } from '#tests/support/publishing/ingest-soak.ts'

const events = Number(process.argv[2] ?? 10_000)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000)
const formats: readonly SoakFormat[] = ['subscribeRepos', 'jetstream']

for (const format of formats) {
  process.stdout.write(`${format}, seed ${seed}\n`)
  const figures = await soak({
    ...{ format, seed, events, accounts: 200, eventEveryMs: 10 },
    kill: { everyMs: 1000 },
  })
  process.stdout.write(`${JSON.stringify(figures)}\n`)
}
