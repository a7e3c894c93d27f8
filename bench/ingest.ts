// `bun bench/ingest.ts [sites] [rounds]`: how many sites a second go live, each because of an event of its own,
// from a source that has every proof at hand. The service and the source are processes of their own, and
// share the machine; of both the processor time is told.
import { Database } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { type Order, type Source, startSource } from './ingest/start-source.ts'
import { cpuSeconds } from './support/processes.ts'

const sites = Number(process.argv[2] ?? 2000)
const rounds = Number(process.argv[3] ?? 3)

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-bench-'))
  const source = await startSource(sites)
  const start = () =>
    startServiceProcess(['serve', '--port', '0', '--data', dir], {
      ...{ PLC_URL: source.told.plc, HANDLE_RESOLVER_URL: source.told.plc },
      ...{ FIREHOSE_URL: source.told.firehose, ALLOW_PRIVATE_HOSTS: '1' },
      ...{ INGEST: 'all', LOG_LEVEL: 'error' },
    })
  // The first start of all makes what later ones find: its work is not ingest's.
  await (await start()).end('SIGTERM')
  await using service = await start()
  using store = new Database(join(dir, 'sitehost.db'))
  print('accounts met, a site of each', await round(source, service.pid, store, 'new-blob'))
  for (let n = 0; n < rounds; n++) {
    print('a new version, its files known', await round(source, service.pid, store, 'reuse'))
  }
  for (let n = 0; n < rounds; n++) {
    print(
      'a new version with a new file of 1 kB',
      await round(source, service.pid, store, 'new-blob'),
    )
  }
  source.kill()
  await service.end('SIGTERM')
  await rm(dir, { recursive: true })
}

interface Round {
  readonly seconds: number
  readonly serviceCpu: number
  readonly sourceCpu: number
}

async function round(source: Source, pid: number, store: Database, order: Order): Promise<Round> {
  await source.ask(order)
  const before = lives(store)
  const cpu = [await cpuSeconds(pid), await cpuSeconds(source.pid)]
  const start = performance.now()
  await source.ask('go')
  while (lives(store) < before + sites) await Bun.sleep(10)
  const seconds = (performance.now() - start) / 1000
  return {
    seconds,
    serviceCpu: (await cpuSeconds(pid)) - (cpu[0] ?? 0),
    sourceCpu: (await cpuSeconds(source.pid)) - (cpu[1] ?? 0),
  }
}

const lives = (store: Database): number =>
  store.query<{ n: number }, []>('select count(*) as n from versions').get()?.n ?? 0

function print(what: string, { seconds, serviceCpu, sourceCpu }: Round): void {
  const perSecond = sites / seconds
  const verdict = perSecond >= 1000 ? '≥ 1000' : 'MISSED ≥ 1000'
  process.stdout.write(
    `${what.padEnd(40)}${perSecond.toFixed(0).padStart(6)} sites a second  ${verdict.padEnd(15)}` +
      `${((serviceCpu / sites) * 1000).toFixed(2)} ms of the service and ${((sourceCpu / sites) * 1000).toFixed(2)} ms of the source each\n`,
  )
}

await main()
