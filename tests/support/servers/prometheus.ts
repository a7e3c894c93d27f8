import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'

/** Prometheus as `deploy/` configures it, with one service to scrape. */
export interface Prometheus extends AsyncDisposable {
  /** `data` of an answer of its API; throws what it says when it refuses. */
  ask<Data>(path: string, parameters?: Readonly<Record<string, string>>): Promise<Data>
}

const deploy = join(import.meta.dir, '../../../deploy')

/** Scrapes every second, so that a test need not wait. `dir` is for its data. */
export async function startPrometheus(dir: string, target: string): Promise<Prometheus> {
  const config = (await Bun.file(join(deploy, 'prometheus.yml')).text())
    .replaceAll('127.0.0.1:9464', target)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
    .replace('prometheus-alerts.yml', join(deploy, 'prometheus-alerts.yml'))
  const file = join(dir, 'prometheus.yml')
  await Bun.write(file, `global:\n  evaluation_interval: 1s\n${config}`)
  const port = await ownPort()
  const child = Bun.spawn({
    cmd: [
      'prometheus',
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(dir, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    stdout: 'ignore',
    stderr: Bun.file(join(dir, 'prometheus.log')),
  })
  const ask = async <Data>(path: string, parameters = {}): Promise<Data> => {
    const query = new URLSearchParams(parameters)
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${query}`)
    const { data, error, status } = (await response.json()) as ApiAnswer<Data>
    if (status !== 'success') throw new Error(`${path} ${query}: ${error}`)
    return data
  }
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await child.exited
  }
  try {
    await eventually(() => ask('status/runtimeinfo'))
  } catch (error) {
    await end()
    throw error
  }
  return { ask, [Symbol.asyncDispose]: end }
}

interface ApiAnswer<Data> {
  readonly status: string
  readonly error?: string
  readonly data: Data
}

/** `promtool <args>` with this input: what it wrote, on both outputs. Throws when it fails. */
export async function promtool(args: readonly string[], input = ''): Promise<string> {
  const child = Bun.spawn({
    cmd: ['promtool', ...args],
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const written = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const text = written.join('')
  if ((await child.exited) !== 0) throw new Error(`promtool ${args.join(' ')}: ${text}`)
  return text
}
