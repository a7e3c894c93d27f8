import { GrowthPlace } from '#tests/support/growth/growth-place.ts'
import type { Instance } from '#tests/support/growth/instance.ts'
import { cpuSeconds } from '../support/processes.ts'
import { median } from '../support/rows.ts'
import { shareCpu } from './cpu-share.ts'

const publishers = 16
/** Of a processor, for each instance: the account server, PostgreSQL and its standby have the rest. */
const partOfProcessor = 0.2
const wanted = 1.7

interface Measure {
  readonly perSecond: number
  /** Of all instances, for one version. */
  readonly cpuMs: number
}

/**
 * How many versions one and two instances on one PostgreSQL publish, from the upload until visitors get them: each is
 * written to the account's server, read from it again, verified and stored. Each instance has the same small part of a
 * processor, so that the instances are the bound, and not the servers that share the machine with them.
 */
export async function scaleInstances(rounds: number, seconds: number): Promise<void> {
  await using place = await GrowthPlace.start({ publishers, claimers: 0, visitorPauseMs: 1000 })
  const [one, two] = place.instances
  const measured: [Measure[], Measure[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    await place.balancer.use([one.port])
    await two.end('SIGTERM')
    measured[0].push(await measure(place, [one], seconds))
    await two.start()
    await place.balancer.use([one.port, two.port])
    measured[1].push(await measure(place, [one, two], seconds))
  }
  print(
    `${publishers} accounts publish; ${partOfProcessor} of a processor each; medians of ${rounds}`,
  )
  const rates = measured.map((measures, n) => {
    const rate = median(measures.map(({ perSecond }) => perSecond))
    const cost = median(measures.map(({ cpuMs }) => cpuMs))
    print(
      `  ${n + 1} of them: ${rate.toFixed(1)} versions a second, ${cost.toFixed(0)} ms CPU each`,
    )
    return rate
  })
  const ratio = (rates[1] ?? 0) / (rates[0] ?? 1)
  print(`  ${ratio.toFixed(2)} × the versions, ${ratio >= wanted ? '≥' : 'below'} ${wanted}`)
}

async function measure(
  place: GrowthPlace,
  instances: readonly Instance[],
  seconds: number,
): Promise<Measure> {
  const pids = instances.map(({ pid }) => pid)
  await using _ = await shareCpu(pids, partOfProcessor)
  for (const publisher of place.publishers) publisher.start()
  const ms = seconds * 1000
  // Until all of them are under way.
  await Bun.sleep(ms / 4)
  const before = await standOf(place, pids)
  await Bun.sleep(ms)
  const after = await standOf(place, pids)
  await Promise.all(place.publishers.map((publisher) => publisher.stop()))
  const versions = after.versions - before.versions
  return {
    perSecond: versions / (ms / 1000),
    cpuMs: ((after.cpu - before.cpu) * 1000) / versions,
  }
}

async function standOf({ publishers }: GrowthPlace, pids: readonly number[]) {
  const cpus = await Promise.all(pids.map(cpuSeconds))
  return {
    versions: publishers.reduce((sum, { completions }) => sum + completions, 0),
    cpu: cpus.reduce((sum, cpu) => sum + cpu, 0),
  }
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)
