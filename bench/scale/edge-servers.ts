import { join } from 'node:path'
import { freePort } from '#main/process/free-port.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { nginxProgram, startNginxWith } from '#tests/support/servers/nginx.ts'
import { filesNginxConfig, unreachedShares } from '../edge/servers.ts'

/** A server of one or two processes that answer, on all processors. */
export interface ScaledServer extends AsyncDisposable {
  readonly name: string
  readonly port: number
  /** Of the processes that answer. */
  readonly pids: readonly number[]
}

export async function startEdges(dataDir: string, processes: number): Promise<ScaledServer> {
  const service = await startServiceProcess(['serve', '--port', '0', '--data', dataDir], {
    ...{ FIREHOSE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'error' },
    ...unreachedShares,
    EDGE_PROCESSES: String(processes),
  })
  const children = await childrenOf(service.pid)
  const pids: number[] = []
  for (const pid of children) {
    const command = await Bun.file(`/proc/${pid}/cmdline`).text()
    if (command.includes('"kind":"edge"')) pids.push(pid)
  }
  if (pids.length !== processes) throw new Error(`${pids.length} edge processes, not ${processes}`)
  return {
    name: 'sitehost',
    port: Number(service.ready['port']),
    pids,
    async [Symbol.asyncDispose]() {
      await service.end('SIGTERM')
    },
  }
}

export async function startWorkers(
  wwwDir: string,
  workDir: string,
  workers: number,
): Promise<ScaledServer | null> {
  if (nginxProgram === null) return null
  const dir = join(workDir, `nginx-${workers}`)
  const port = Number(await freePort())
  const config = filesNginxConfig(dir, wwwDir, port, workers)
  const child = await startNginxWith(config, dir, () => fetch(`http://127.0.0.1:${port}/`))
  const pids = await eventually(async () => {
    const started = await childrenOf(child.pid)
    if (started.length !== workers) throw new Error(`nginx has ${started.length} workers`)
    return started
  })
  return {
    name: 'nginx',
    port,
    pids,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
  return text.trim().split(' ').map(Number)
}
