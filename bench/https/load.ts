import { onLoadCore } from '../edge/servers.ts'
import { cpuSeconds } from '../support/processes.ts'
import type { HttpsServer } from './servers.ts'

export type Way = 'h2' | 'h1' | 'new connections'

/** Requests of a round; 40 connections begin every 100 ms. */
const ways: Readonly<Record<Way, readonly [requests: number, ...args: string[]]>> = {
  h2: [40_000, '-c20', '-m10'],
  h1: [30_000, '-c20', '--h1'],
  'new connections': [1_200, '-c1200', '-r40', '--rate-period=100ms', '--h1'],
}

/** Requests one page by h2load; the CPU of the server side for each request, in µs. Throws when one fails. */
export async function load(
  { name, pids, port }: HttpsServer,
  host: string,
  way: Way,
): Promise<number> {
  const [requests, ...args] = ways[way]
  const before = await cpuMicrosOf(pids)
  // As at port 443: the host is asked for without a port.
  const to = [`--connect-to=127.0.0.1:${port}`, `https://${host}/`]
  const all = ['h2load', '-t1', `-n${requests}`, ...args, '-H', 'accept-encoding: gzip', ...to]
  const output = await new Response(Bun.spawn(onLoadCore(...all)).stdout).text()
  const after = await cpuMicrosOf(pids)
  const [, answered] = /^status codes: (\d+) 2xx/m.exec(output) ?? []
  if (answered !== String(requests)) throw new Error(`${name}, ${way}: ${output}`)
  return (after - before) / requests
}

async function cpuMicrosOf(pids: readonly number[]): Promise<number> {
  const seconds = await Promise.all(pids.map(cpuSeconds))
  return seconds.reduce((sum, each) => sum + each, 0) * 1e6
}
