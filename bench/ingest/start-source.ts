import { join } from 'node:path'

interface Told {
  readonly plc: string
  readonly firehose: string
}

/** What the source is asked to do next; it answers each with a line. */
export type Order = 'reuse' | 'new-blob' | 'go'

export interface Source {
  readonly pid: number
  readonly told: Told
  ask(order: Order): Promise<void>
  kill(): void
}

/** The repositories of so many accounts and their firehose, in a process of its own. */
export async function startSource(sites: number): Promise<Source> {
  const child = Bun.spawn({
    cmd: [process.execPath, join(import.meta.dir, 'source.ts'), String(sites)],
    stdin: 'pipe',
    stdout: 'pipe',
  })
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  const line = async (): Promise<string> => (await lines.read()).value ?? ''
  const told = JSON.parse(await line()) as Told
  return {
    pid: child.pid,
    told,
    async ask(order) {
      child.stdin.write(`${order}\n`)
      await child.stdin.flush()
      await line()
    },
    kill: () => child.kill(),
  }
}
