import { expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { LatencyHistogram } from './latency-histogram.ts'
import { Metrics } from './metrics.ts'

const lines: LoggedLine[] = []
const metricsOf = () => new Metrics({ log: recordingLog(lines) })
const help = 'What it is.'

test('families are read with every scrape', async () => {
  const metrics = metricsOf()
  let hits = 1
  metrics.add(
    {
      ...{ name: 'hits_total', help, kind: 'counter' },
      read: () => [{ labels: { tier: 'bodies' }, value: hits }],
    },
    { name: 'free_bytes', help, kind: 'gauge', read: async () => [{ value: -hits }] },
  )
  expect(await metrics.text()).toContain('hits_total{tier="bodies"} 1\n')
  hits = 5
  const text = await metrics.text()
  expect(text).toContain('# HELP hits_total What it is.\n# TYPE hits_total counter\n')
  expect(text).toContain('hits_total{tier="bodies"} 5\n')
  expect(text).toContain('\nfree_bytes -5\n')
})

test('one that fails, has nothing or no number is left out, the others are not', async () => {
  const metrics = metricsOf()
  const fails = () => Promise.reject(new Error('database away'))
  metrics.add(
    { name: 'broken', help, kind: 'gauge', read: fails },
    { name: 'empty', help, kind: 'gauge', read: () => [] },
    { name: 'no_number', help, kind: 'gauge', read: () => [{ value: Number.NaN }] },
    { name: 'whole', help, kind: 'gauge', read: () => [{ value: 1 }] },
  )
  const values = (await metrics.text()).split('\n').filter((line) => /^[a-z]/.test(line))
  expect(values).toEqual(['whole 1'])
  expect(lines).toMatchObject([{ level: 'warn', message: 'metric not read' }])
})

test('durations are a cumulative histogram, exact at its bounds', async () => {
  const metrics = metricsOf()
  const histogram = new LatencyHistogram()
  for (const micros of [100, 127, 128, 500, 60_000_000]) histogram.observe(micros)
  metrics.addHistogram({
    ...{ name: 'duration_seconds', help },
    read: () => [[{ role: 'app' }, histogram]],
  })
  const lines = (await metrics.text()).split('\n')
  for (const line of [
    '# TYPE duration_seconds histogram',
    'duration_seconds_bucket{role="app",le="0.000128"} 2',
    'duration_seconds_bucket{role="app",le="0.000256"} 3',
    'duration_seconds_bucket{role="app",le="16.777216"} 4',
    'duration_seconds_bucket{role="app",le="+Inf"} 5',
    'duration_seconds_sum{role="app"} 60.000855',
    'duration_seconds_count{role="app"} 5',
  ]) {
    expect(lines).toContain(line)
  }
})
