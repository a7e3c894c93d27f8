import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { eventually } from './support/eventually.ts'

test('a service is scraped at its own listener without a token, and at its address with one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-metrics-'))
  try {
    const listener = `127.0.0.1:${await ownPort()}`
    await using service = await startServiceProcess(['serve', '--port', '0', '--data', dir], {
      ...{ FIREHOSE_URL: 'http://127.0.0.1:9', METRICS_LISTEN: listener },
      METRICS_TOKEN: 'a-token-of-many-characters',
    })
    const { app } = service.ready
    expect((await fetch(`${app}/metrics`)).status).toBe(401)
    const headers = { authorization: 'Bearer a-token-of-many-characters' }
    expect(await (await fetch(`${app}/metrics`, { headers })).text()).toContain('process_open_fds')
    expect((await fetch(`http://${listener}/`)).status).toBe(404)

    const text = await eventually(async () => {
      const scraped = await (await fetch(`http://${listener}/metrics`)).text()
      // The numbers of ingest arrive within a second of its start.
      expect(scraped).toContain('sitehost_firehose_connected 0')
      expect(scraped).toContain('sitehost_firehose_lag_seconds 0')
      expect(scraped).toContain('sitehost_work_items{')
      return scraped
    })
    for (const series of [
      'sitehost_http_request_duration_seconds_count{role="app",status="4xx"} 1',
      'sitehost_cache_entries{tier="snapshots"} 0',
      'sitehost_work_items{kind="site",state="waiting"} 0',
      'sitehost_ingest_lag_seconds{kind="account"} 0',
      'sitehost_database_up 1',
      'sitehost_jobs{status="pending"} 0',
      'sitehost_publishes_total{outcome="failed"} 0',
      'sitehost_certificate_requests_total{answer="refused"} 0',
      'sitehost_events_total{event="version_live"} 0',
      'sitehost_event_loop_delay_seconds{thread="ingest",percentile="99"}',
      'sitehost_page_errors_total{name="TypeError",engine="webkit"} 0',
      'sitehost_build_info{version="',
    ]) {
      expect(text).toContain(series)
    }
    // No names of anybody.
    expect(text).not.toMatch(/did:|localhost|127\.0\.0\.1/)
  } finally {
    await rm(dir, { recursive: true })
  }
})
