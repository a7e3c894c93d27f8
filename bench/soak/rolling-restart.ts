// `bun bench/soak/rolling-restart.ts [requests a second] [rounds]`: two instances behind nginx are replaced one after the
// other, and an instance of two edge processes replaces its own (SIGHUP), while visitors come and accounts publish.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { GrowthPlace } from '#tests/support/growth/growth-place.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { type SteadyLoad, steadyLoad } from '#tests/support/visitors/steady-load.ts'
import { unreachedShares } from '../edge/servers.ts'
import { fillSites, smallPath } from '../edge/sites.ts'

const [perSecond = 2000, rounds = 3] = process.argv.slice(2).map(Number)
const pauseMs = 10
/** A client's request takes some milliseconds, too. */
const clientsOf = (ms: number): number => Math.ceil((perSecond * (pauseMs + ms)) / 1000)

await replaceInstances()
await replaceProcesses()
// The servers of a local network keep a process alive that has ended its networks.
process.exit()

async function replaceInstances(): Promise<void> {
  await using place = await GrowthPlace.start({ publishers: 4, claimers: 0, visitorPauseMs: 50 })
  const load = place.load(clientsOf(20), pauseMs)
  const began = performance.now()
  const away: number[] = []
  const ledger = await place.during(async () => {
    for (let round = 0; round < rounds; round++) away.push(...(await place.replaceAll()))
  })
  await report(`two instances, each replaced ${rounds} times`, load, began)
  const refused = (isDeployer: boolean) =>
    place.publishers
      .filter((each) => each.isDeployer === isDeployer)
      .flatMap((each) => each.refused)
  const published = place.publishers.reduce((sum, { completions }) => sum + completions, 0)
  print(`  away for ${(Math.max(...away) / 1000).toFixed(1)} s at most`)
  print(`  ${published} versions published, ${refused(false).length} uploads refused`)
  print(`  ${refused(true).length} requests of deploys refused, which are tried again`)
  for (const sentence of [...refused(false), ...refused(true)]) print(`    ${sentence}`)
  print(`  ${JSON.stringify(ledger)}`)
}

async function replaceProcesses(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-rolling-'))
  const { hosts } = await fillSites({ dataDir: dir, baseDomain: 'localhost' }, 10)
  const service = await startServiceProcess(['serve', '--port', '0', '--data', dir], {
    ...{ FIREHOSE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'error', EDGE_PROCESSES: '2' },
    ...unreachedShares,
  })
  const clients = clientsOf(1) / 2
  const [host = ''] = hosts
  const request = `GET ${smallPath} HTTP/1.1\r\nhost: ${host}`
  const port = Number(service.ready['port'])
  const file = await fetch(`http://127.0.0.1:${port}${smallPath}`, { headers: { host } })
  const end = Buffer.from(await file.bytes())
    .subarray(-8)
    .toString('latin1')
  const load = steadyLoad({
    ...{ port, request, end, pauseMs },
    clients: { fresh: clients, kept: clients },
  })
  const began = performance.now()
  for (let round = 0; round < rounds; round++) {
    const before = await childrenOf(service.pid)
    process.kill(service.pid, 'SIGHUP')
    await eventually(async () => {
      const now = await childrenOf(service.pid)
      if (now.length !== 3 || now.some((pid) => before.includes(pid))) throw new Error('not yet')
    })
  }
  await report(`two edge processes and their core, replaced ${rounds} times`, load, began)
  await service.end('SIGTERM')
  await rm(dir, { recursive: true })
}

async function childrenOf(pid: number): Promise<string[]> {
  const text = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
  return text.trim().split(' ')
}

async function report(what: string, load: SteadyLoad, began: number): Promise<void> {
  const seconds = (performance.now() - began) / 1000
  await load.stop()
  const rate = (load.answered / seconds).toFixed(0)
  print(`${what}, in ${seconds.toFixed(1)} s: ${load.answered} visits answered, ${rate} a second`)
  print(`  ${load.lost.length} lost ${JSON.stringify(load.lost.slice(0, 5))}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
