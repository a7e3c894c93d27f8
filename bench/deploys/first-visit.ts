import type { ServiceProcess } from '#tests/support/processes/service-process.ts'
import { median, type Row } from '../support/rows.ts'

interface Restartable {
  /** Starts the service again on its data. */
  readonly start: (port: string) => Promise<ServiceProcess>
  service: ServiceProcess
}

/** What the first visitor of a site waits after a restart, and what the site takes in memory from then on. */
export async function visitAfterRestart(
  page: URL,
  place: Restartable,
  { rounds, token }: { readonly rounds: number; readonly token: string },
): Promise<Row[]> {
  const first: number[] = []
  const second: number[] = []
  const nowhere: number[] = []
  const counted: number[] = []
  const grown: number[] = []
  for (let round = 0; round < rounds; round++) {
    await place.service.end('SIGTERM')
    place.service = await place.start(page.port)
    // What the process does only once is no part of the site: code that runs for the first time.
    nowhere.push(await visited(new URL(`http://s--${'a'.repeat(26)}.localhost:${page.port}/`)))
    const before = await place.service.residentBytes()
    first.push(await visited(page))
    grown.push((await place.service.residentBytes()) - before)
    second.push(await visited(page))
    counted.push(await snapshotBytes(place.service.ready.app, token))
  }
  const ms = (values: readonly number[]): string => `${median(values).toFixed(1)} ms`
  const megabytes = (bytes: number): number => bytes / 1024 / 1024
  return [
    {
      ...{ what: 'first visit after a restart', value: median(first), unit: 'ms', budget: null },
      detail: `${ms(nowhere)} of a site that does not exist before it, ${ms(second)} of the same page after it`,
    },
    {
      ...{
        what: 'the site in memory',
        value: megabytes(median(counted)),
        unit: 'MB',
        budget: null,
      },
      detail: `as the edge counts it; the process grew by ${megabytes(median(grown)).toFixed(1)} MB with the first visit`,
    },
  ]
}

async function visited(url: URL): Promise<number> {
  const start = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - start
}

async function snapshotBytes(app: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(new URL('/metrics', app), { headers })).text()
  return Number(/^sitehost_cache_bytes\{tier="snapshots"\} (\S+)$/m.exec(text)?.[1])
}
