import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { Instance } from '#tests/support/growth/instance.ts'
import { PostgresPair } from '#tests/support/growth/postgres-pair.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { startS3Server } from '#tests/support/servers/s3-server.ts'
import { type Order, type Source, startSource } from '../ingest/start-source.ts'
import { busySeconds } from '../support/processes.ts'
import { type Compared, cpuOfAll, type Measure, print, printCompared } from './compare.ts'
import { shareCpu } from './cpu-share.ts'

/** Of a processor, for each instance. */
const partOfProcessor = 0.2
const warmRounds = 6
const databaseName = 'sitehost'

/**
 * How many sites a second one and two instances on one PostgreSQL ingest, each because of an event of its own, from a source
 * that has every proof at hand. One of them reads the firehose; the sites are work for both. Each has the same small part
 * of a processor; while one is measured, the other is stopped.
 */
export async function scaleIngest(rounds: number, sites: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-scale-'))
  // PostgreSQL's user looks into it.
  await chmod(dir, 0o711)
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const source = opened.adopt(await startSource(sites), (each) => each.kill())
  const postgres = opened.use(await PostgresPair.start(join(dir, 'postgres')))
  await postgres.query('postgres', `create database ${databaseName}`)
  const query = (statement: string) => postgres.query(databaseName, statement)
  const s3 = opened.use(await startS3Server())
  const shared = {
    ...{ PLC_URL: source.told.plc, HANDLE_RESOLVER_URL: source.told.plc },
    ...{ FIREHOSE_URL: source.told.firehose, ALLOW_PRIVATE_HOSTS: '1', INGEST: 'all' },
    // Nobody visits.
    BASE_URL: `http://127.0.0.1:${await ownPort()}`,
    ...{ BASE_DOMAIN: '', ASK_LISTEN: '', EDGE_PROCESSES: '', LOG_LEVEL: 'error' },
    ...{
      SECRET_KEY: 'a secret that all instances share',
      INTERNAL_TOKEN: 'a-token-of-all-of-them',
    },
    DATABASE_URL: postgres.url(databaseName),
    BLOBS_URL: `s3://blobs?endpoint=${s3.endpoint}`,
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-bucket' },
  }
  const start = async (name: string) => {
    const options = { name, dataDir: join(dir, name), shared, clockAheadSeconds: 0, query }
    return opened.use(await Instance.start(options))
  }
  const [one, two] = [await start('one'), await start('two')]
  const place = { query, sites, source }
  // Together, the one that reads the firehose would do most of it.
  for (const [alone, other] of [
    [two, one],
    [one, two],
  ] as const) {
    other.signal('SIGSTOP')
    await untilItReads(alone)
    for (let n = 0; n < warmRounds; n++) await ingest('new-blob', place)
    other.signal('SIGCONT')
  }
  const measured: Compared = [[], []]
  for (let round = 0; round < rounds; round++) {
    two.signal('SIGSTOP')
    await untilItReads(one)
    measured[0].push(await measure([one], place))
    two.signal('SIGCONT')
    measured[1].push(await measure([one, two], place))
  }
  print(
    `${sites} sites with a new file, ${partOfProcessor} of a processor each; medians of ${rounds}`,
  )
  printCompared(measured, 'sites')
}

const untilItReads = (instance: Instance): Promise<void> =>
  eventually(async () => {
    if (!(await instance.hasDuty('firehose'))) throw new Error('another one reads the firehose')
  })

interface Place {
  readonly query: (statement: string) => Promise<Record<string, unknown>[]>
  readonly sites: number
  readonly source: Source
}

async function measure(instances: readonly Instance[], place: Place): Promise<Measure> {
  const pids = instances.map(({ pid }) => pid)
  await using _ = await shareCpu(pids, partOfProcessor)
  const [cpu, busy] = [await cpuOfAll(pids), await busySeconds()]
  const took = await ingest('new-blob', place)
  const used = (await cpuOfAll(pids)) - cpu
  return {
    perSecond: place.sites / took,
    cpuMs: (used * 1000) / place.sites,
    used: used / (took * partOfProcessor * instances.length),
    machine: ((await busySeconds()) - busy) / (took * navigator.hardwareConcurrency),
  }
}

/** Returns the seconds from the first event until the last site is live. */
async function ingest(order: Order, { query, sites, source }: Place): Promise<number> {
  await source.ask(order)
  const since = Date.now()
  const began = performance.now()
  await source.ask('go')
  const live = async (): Promise<number> =>
    Number((await query(`select count(*) as n from sites where updated_at >= ${since}`))[0]?.['n'])
  while ((await live()) < sites) await Bun.sleep(50)
  return (performance.now() - began) / 1000
}
