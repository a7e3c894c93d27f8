import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { type Prometheus, promtool, startPrometheus } from '#tests/support/servers/prometheus.ts'
import { eventually } from './support/eventually.ts'
import { hasPrograms } from './support/require.ts'

const root = join(import.meta.dir, '..')
const rulesFile = join(root, 'deploy/prometheus-alerts.yml')

const isInstalled = await hasPrograms('the metrics under Prometheus', 'prometheus', 'promtool')

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}

interface Rule {
  readonly name: string
  readonly query: string
  readonly health: string
  readonly state: string
}

describe.skipIf(!isInstalled)('metrics, rules and dashboard', () => {
  let dir: string
  let service: ServiceProcess
  let prometheus: Prometheus
  let listener: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-prometheus-'))
    listener = `127.0.0.1:${await ownPort()}`
    service = await startServiceProcess(
      ['serve', '--port', '0', '--data', join(dir, 'data')],
      // Where nobody listens: an alert is due.
      { FIREHOSE_URL: 'http://127.0.0.1:9', METRICS_LISTEN: listener },
    )
    prometheus = await startPrometheus(dir, listener)
  })
  afterAll(async () => {
    await prometheus[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })

  const scrape = async (): Promise<string> =>
    await (await fetch(`http://${listener}/metrics`)).text()
  const rules = async (): Promise<readonly Rule[]> =>
    (await prometheus.ask<Rules>('rules')).groups.flatMap((group) => group.rules)

  test('the rules are right, and each alert fires when it should', async () => {
    await promtool(['check', 'config', join(root, 'deploy/prometheus.yml')])
    await promtool(['test', 'rules', join(root, 'tests/prometheus/alerts.yml')])
    const told = await Bun.file(join(root, 'tests/prometheus/alerts.yml')).text()
    expect((await alertNames()).filter((name) => !told.includes(name))).toEqual([])
  })

  test('a scrape follows the conventions of Prometheus', async () => {
    expect(await promtool(['check', 'metrics'], await scrape())).toBe('')
  })

  test('every metric of the dashboard and the rules is in a scrape', async () => {
    await fetch(service.ready.app)
    const text = await scrape()
    const families = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    )
    const isThere = (name: string): boolean =>
      families.has(name) || families.get(name.replace(/_(bucket|count|sum)$/, '')) === 'histogram'
    const queries = [...(await dashboardQueries()), ...(await rules()).map(({ query }) => query)]
    const named = new Set(queries.join(' ').match(/\b(?:sitehost|process)_\w+/g))
    expect(named.size).toBeGreaterThan(25)
    expect([...named].filter((name) => !isThere(name))).toEqual([])
  })

  test('Prometheus scrapes the service, and evaluates every rule and every query', async () => {
    const names = await alertNames()
    await eventually(async () => {
      const loaded = await rules()
      expect(loaded.map(({ name }) => name)).toEqual(names)
      expect(loaded.filter(({ health }) => health !== 'ok')).toEqual([])
      const away = loaded.find(({ name }) => name === 'SitehostFirehoseAway')
      expect(away?.state).toBe('pending')
      expect(loaded.find(({ name }) => name === 'SitehostDown')?.state).toBe('inactive')
    })
    for (const query of await dashboardQueries()) await prometheus.ask('query', { query })
    const { result } = await prometheus.ask<{ result: readonly unknown[] }>('query', {
      query: 'sitehost_database_up{job="sitehost"} == 1',
    })
    expect(result).toHaveLength(1)
  })

  test('a service that ends is noticed', async () => {
    await service.end('SIGKILL')
    await eventually(async () => {
      const down = (await rules()).find(({ name }) => name === 'SitehostDown')
      expect(down?.state).toBe('pending')
    })
  })
})

async function alertNames(): Promise<string[]> {
  const alerts = (await Bun.file(rulesFile).text()).matchAll(/alert: (\w+)/g)
  return [...alerts].map(([, name = '']) => name)
}

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

/** As Grafana would ask them. */
async function dashboardQueries(): Promise<string[]> {
  const file = Bun.file(join(root, 'deploy/grafana-dashboard.json'))
  const { panels } = (await file.json()) as Dashboard
  return panels
    .flatMap(({ targets }) => targets.map(({ expr }) => expr))
    .map((expr) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))
}
