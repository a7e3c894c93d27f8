import { join } from 'node:path'
import { type BenchRequest, type Measure, wrkScript } from './load.ts'
import type { BenchServer } from './servers.ts'
import { type BenchSites, largePath, pagePath, sitesWithLargeFile, smallPath } from './sites.ts'

/** What is measured side by side, and what of it is promised. */
export interface BenchCase {
  readonly what: string
  readonly runners: readonly Runner[]
  readonly targets: readonly Target[]
}

interface Runner {
  readonly who: string
  readonly server: BenchServer
  /** A file for wrk. */
  readonly script: string
}

interface Target {
  readonly of: string
  readonly to: string
  readonly by: keyof Measure
  readonly atLeast?: number
  readonly atMost?: number
}

const gzip = { 'Accept-Encoding': 'gzip' }
const hotHosts = 200

/** One after the other, so that each finds the servers as the one before has left them. */
export async function* benchCases(
  servers: readonly BenchServer[],
  bare: BenchServer,
  { hosts, ruledHost }: BenchSites,
  workDir: string,
): AsyncGenerator<BenchCase> {
  const hot = hosts.slice(0, hotHosts)
  const all = casesOf(servers, workDir)
  const withBare = casesOf([...servers, bare], workDir)
  const [sitehost] = servers
  if (sitehost === undefined) return

  yield await withBare('12 kB page, gzip, 200 hosts', 200, hot, pagePath, gzip, [
    { to: 'nginx', atLeast: 1 },
    { to: 'caddy', atLeast: 5 },
    { to: 'bare Bun', atLeast: 0.8 },
  ])
  yield await withBare('the same page, not modified', 304, hot, pagePath, gzip, [
    { to: 'nginx', atLeast: 0.9 },
    { to: 'bare Bun', atLeast: 0.8 },
  ])
  yield await all('1 kB file, 200 hosts', 200, hot, smallPath, {}, [])
  yield await all('1 MB file, 20 hosts', 200, hosts.slice(0, sitesWithLargeFile), largePath, {}, [
    { to: 'nginx', atLeast: 1 },
  ])
  yield await all('nothing there, 200 hosts', 404, hot, '/nothing', {}, [])

  const run = async (who: string, status: number, requests: readonly BenchRequest[]) =>
    await runnerOf(who, sitehost, status, requests, workDir)
  const page = (host: string): BenchRequest => ({ host, path: pagePath, headers: gzip })
  const rewritten = { host: ruledHost, path: '/old/999', headers: {} }
  yield {
    what: 'a site with 1000 redirect rules',
    runners: [
      await run('page, no rules', 200, hosts.slice(0, 1).map(page)),
      await run('page, 1000 rules', 200, [page(ruledHost)]),
      await run('what the last rule says', 301, [rewritten]),
    ],
    targets: [
      { of: 'page, 1000 rules', to: 'page, no rules', by: 'requestsPerSecond', atLeast: 0.9 },
    ],
  }
  yield {
    what: '12 kB page, gzip, of many sites at random',
    runners: [
      await run('200 sites', 200, hot.map(page)),
      await run(`${hosts.length} sites`, 200, hosts.map(page)),
    ],
    targets: [{ of: `${hosts.length} sites`, to: '200 sites', by: 'cpuMicros', atMost: 1.5 }],
  }
}

function casesOf(servers: readonly BenchServer[], workDir: string) {
  return async (
    what: string,
    status: number,
    hosts: readonly string[],
    path: string,
    headers: BenchRequest['headers'],
    targets: readonly Omit<Target, 'of' | 'by'>[],
  ): Promise<BenchCase> => {
    const runners: Runner[] = []
    for (const server of servers) {
      const requests = hosts.map((host) => ({ host, path, headers }))
      const sent = status === 304 ? await conditional(server, requests) : requests
      runners.push(await runnerOf(server.name, server, status, sent, workDir))
    }
    const ours = { of: 'sitehost', by: 'requestsPerSecond' } as const
    return { what, runners, targets: targets.map((target) => ({ ...ours, ...target })) }
  }
}

/** The requests of somebody who has what this server would send. */
async function conditional(
  server: BenchServer,
  requests: readonly BenchRequest[],
): Promise<BenchRequest[]> {
  const answered: BenchRequest[] = []
  for (const request of requests) {
    const etag = (await ask(server, request)).headers.get('etag') ?? ''
    answered.push({ ...request, headers: { ...request.headers, 'If-None-Match': etag } })
  }
  return answered
}

async function runnerOf(
  who: string,
  server: BenchServer,
  status: number,
  requests: readonly BenchRequest[],
  workDir: string,
): Promise<Runner> {
  // Each once: it is what was meant to be measured, and from here on the servers know it.
  for (const request of requests) {
    const answer = await ask(server, request)
    if (answer.status !== status) throw new Error(`${who}: ${answer.status} for ${request.path}`)
    await answer.bytes()
  }
  const script = join(workDir, `${Bun.hash(JSON.stringify([who, requests]))}.lua`)
  await Bun.write(script, wrkScript(requests, status))
  return { who, server, script }
}

function ask(server: BenchServer, { host, path, headers }: BenchRequest): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}${path}`, {
    headers: { ...headers, host },
    redirect: 'manual',
    decompress: false,
  })
}
