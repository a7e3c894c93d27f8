import { join } from 'node:path'
import { onLoadCore } from '../edge/servers.ts'

/** A program of this folder on the core of the load. It prints one line at a time, each when it is asked to or when it is ready. */
export interface Client extends AsyncDisposable {
  readonly pid: number
  /** Has it do one thing more; returns what it prints of that. */
  ask(): Promise<string>
  /** Has it end; returns what it prints last. */
  end(): Promise<string>
}

/** Resolves when the client has printed that it is ready. `precedence`: a command that runs it. */
export async function startClient(
  precedence: readonly string[],
  script: string,
  port: number,
  ...args: string[]
): Promise<Client> {
  const file = join(import.meta.dir, script)
  const program = [...precedence, process.execPath, file, String(port), ...args]
  const child = Bun.spawn(onLoadCore(...program), { stdin: 'pipe', stdout: 'pipe' })
  const printed = child.stdout.getReader()
  const line = async (): Promise<string> => {
    const { value } = await printed.read()
    if (value === undefined) throw new Error(`${script} has ended`)
    return new TextDecoder().decode(value)
  }
  await line()
  return {
    pid: child.pid,

    async ask() {
      child.stdin.write('\n')
      await child.stdin.flush()
      return await line()
    },
    async end() {
      child.kill()
      return await line()
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
