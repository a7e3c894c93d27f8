import { GrowthPlace } from '#tests/support/growth/growth-place.ts'
import type { Instance } from '#tests/support/growth/instance.ts'
import type { Publisher } from '#tests/support/growth/publisher.ts'
import { busySeconds } from '../support/processes.ts'
import { type Compared, cpuOfAll, type Measure, print, printCompared } from './compare.ts'
import { shareCpu } from './cpu-share.ts'

const authorsMax = 16
/** Of a processor, for each instance: the account server, PostgreSQL and its standby have the rest. */
const partOfProcessor = 0.2
const wanted = 1.7
/** Published without a limit first: a process that has not compiled its code yet takes twice as much. */
const warmVersions = 400
const pauseMs = 50

/** Publishes versions of the sites of one account, one after the other. */
interface Author {
  readonly sites: readonly Publisher[]
}

/**
 * How many versions one and two instances on one PostgreSQL publish, from the upload until visitors get them: each is
 * written to the account's server, read from it again, verified and stored. Each instance has the same small part of a
 * processor, so that the instances are the bound, and not the servers that share the machine with them. With 12 sites of
 * an account, a minute passes between two versions of a site, so that neither one instance nor two know it from the
 * version before. Both have been running for a while; while one is measured, the other is stopped.
 */
export async function scaleInstances(
  rounds: number,
  seconds: number,
  sitesEach: number,
): Promise<void> {
  await using place = await GrowthPlace.start({
    publishers: authorsMax,
    claimers: 0,
    visitorPauseMs: 1000,
    haveTrueClocks: true,
  })
  const authors = place.publishers.map((first): Author => {
    const others = Array.from({ length: sitesEach - 1 }, (_, n) => `${first.site}-${n}`)
    return { sites: [first, ...others.map((name) => first.ofSite(name))] }
  })
  const [one, two] = place.instances
  await publishUntil(authors, () => versionsOf(authors) < warmVersions)
  const measured: Compared = [[], []]
  for (let round = 0; round < rounds; round++) {
    await place.balancer.use([one.port])
    await place.balancer.drained()
    two.signal('SIGSTOP')
    measured[0].push(await measure(authors, [one], seconds))
    two.signal('SIGCONT')
    await place.balancer.use([one.port, two.port])
    measured[1].push(await measure(authors, [one, two], seconds))
  }
  print(
    `${authors.length} accounts with ${sitesEach} sites publish; ${partOfProcessor} of a processor each; medians of ${rounds}`,
  )
  const ratio = printCompared(measured, 'versions')
  print(`  ${ratio >= wanted ? 'as wanted' : 'less than wanted'}: ${wanted} ×`)
  for (const { sites } of authors) {
    for (const { failures, refused } of sites)
      for (const what of [...failures, ...refused]) print(what)
  }
}

async function measure(
  authors: readonly Author[],
  instances: readonly Instance[],
  seconds: number,
): Promise<Measure> {
  const pids = instances.map(({ pid }) => pid)
  await using _ = await shareCpu(pids, partOfProcessor)
  let isOver = false
  const publishing = publishUntil(authors, () => !isOver)
  const ms = seconds * 1000
  // Until all of them are under way.
  await Bun.sleep(ms / 4)
  const before = await standOf(authors, pids)
  await Bun.sleep(ms)
  const after = await standOf(authors, pids)
  isOver = true
  await publishing
  const took = (after.at - before.at) / 1000
  const versions = after.versions - before.versions
  const cpu = after.cpu - before.cpu
  return {
    perSecond: versions / took,
    cpuMs: (cpu * 1000) / versions,
    used: cpu / (took * partOfProcessor * instances.length),
    machine: (after.busy - before.busy) / (took * navigator.hardwareConcurrency),
  }
}

/** Each account publishes one version after the other, of its sites by turns; resolves when the last ones have ended. */
async function publishUntil(authors: readonly Author[], isOn: () => boolean): Promise<void> {
  await Promise.all(
    authors.map(async ({ sites }) => {
      while (isOn()) {
        const next = sites.toSorted((a, b) => a.completions - b.completions)[0]
        await next?.publishNext()
        await Bun.sleep(pauseMs)
      }
    }),
  )
}

async function standOf(authors: readonly Author[], pids: readonly number[]) {
  return {
    at: performance.now(),
    versions: versionsOf(authors),
    cpu: await cpuOfAll(pids),
    busy: await busySeconds(),
  }
}

const versionsOf = (authors: readonly Author[]): number =>
  authors.flatMap(({ sites }) => sites).reduce((sum, { completions }) => sum + completions, 0)
