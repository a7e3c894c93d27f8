import { type BenchServer, onLoadCore } from './servers.ts'

/** One request that is sent over and over, among others. */
export interface BenchRequest {
  readonly host: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Measure {
  readonly requestsPerSecond: number
  /** Of the server, in the kernel too. */
  readonly cpuMicros: number
}

const connections = 32
const clockTickMicros = 10_000

/** Sends these requests in random order as fast as the server answers. Throws when one fails. */
export async function load(server: BenchServer, script: string, seconds: number): Promise<Measure> {
  const before = await cpuMicrosOf(server.pid)
  const command = onLoadCore(...wrkCommand(server.port, script, seconds))
  const { micros, requests } = await runWrk(command)
  const after = await cpuMicrosOf(server.pid)
  return { requestsPerSecond: requests / (micros / 1e6), cpuMicros: (after - before) / requests }
}

export const wrkCommand = (
  port: number,
  script: string,
  seconds: number,
  processes = 1,
): string[] => [
  ...['wrk', `-t${processes}`, `-c${connections * processes}`, `-d${seconds}s`, '-s', script],
  `http://127.0.0.1:${port}`,
]

/** How many requests were answered, and in which time. Throws when one fails. */
export async function runWrk(command: string[]): Promise<{ requests: number; micros: number }> {
  const wrk = Bun.spawn(command, { stderr: 'inherit' })
  const output = await new Response(wrk.stdout).text()
  const [, requests, micros, failed] = /^result (\d+) (\d+) (\d+)$/m.exec(output) ?? []
  if (requests === undefined || failed !== '0') throw new Error(`${command.join(' ')}: ${output}`)
  return { requests: Number(requests), micros: Number(micros) }
}

/** For wrk: the requests as they go over the wire, and what came of them. */
export function wrkScript(requests: readonly BenchRequest[], status: number): string {
  return `
local requests = {
${requests.map((request) => `  ${JSON.stringify(wireForm(request))},`).join('\n')}
}
local random = math.random
request = function() return requests[random(#requests)] end
done = function(summary)
  local failed = summary.errors
  local bad = failed.connect + failed.read + failed.write + failed.timeout
  ${status < 400 ? 'bad = bad + failed.status' : ''}
  io.write(string.format("result %d %d %d\\n", summary.requests, summary.duration, bad))
end
`
}

function wireForm({ host, path, headers }: BenchRequest): string {
  const fields = Object.entries({ host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`
}

export async function cpuMicrosOf(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text()
  // proc(5): the name in parentheses may hold spaces; behind it utime is the 12th field, stime the 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * clockTickMicros
}
