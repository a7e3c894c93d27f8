// `bun bench/soak/growth.ts [minutes] [publishers] [claimers]`: two instances at work while servers and machines fail, one
// fault after the other in random order, as `tests/growth` does it once. Ends with 1 when something is lost, done twice or torn.
import { faults } from '#tests/support/growth/faults.ts'
import { GrowthPlace } from '#tests/support/growth/growth-place.ts'
import { clean } from '#tests/support/growth/ledger.ts'

const [minutes = 10, publishers = 12, claimers = 8] = process.argv.slice(2).map(Number)

const place = await GrowthPlace.start({ publishers, claimers, visitorPauseMs: 20 })
const end = Date.now() + minutes * 60_000
const names = Object.keys(faults)
let happened = 0
while (Date.now() < end && process.exitCode === undefined) {
  const name = names[Math.floor(Math.random() * names.length)] ?? ''
  const began = performance.now()
  const ledger = await place.during(async () => await faults[name]?.(place))
  happened += 1
  print(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
  if (Bun.deepEquals(ledger, clean)) continue
  print(JSON.stringify(ledger, null, 2))
  process.exitCode = 1
}
const published = place.publishers.reduce((sum, { completions }) => sum + completions, 0)
const refused = place.publishers.reduce((sum, publisher) => sum + publisher.refused.length, 0)
print(
  `${happened} faults, ${published} versions published and ${refused} requests refused, ${place.names.given} names given, ` +
    `${place.visitors.visits} visits of which the slowest took ${place.visitors.slowestMs.toFixed(0)} ms`,
)
for (const sentence of tally(place.publishers.flatMap((each) => each.refused)))
  print(`  ${sentence}`)

await place[Symbol.asyncDispose]()
// The servers of a local network keep a process alive that has ended its networks.
process.exit()

/** How often each happened, without the site and version that it is about. */
function tally(refused: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const sentence of refused) {
    const reason = sentence.replace(/^\S+ \d+: /, '')
    counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${count} × ${reason}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
