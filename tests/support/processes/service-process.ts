import { join } from 'node:path'
import { inheritedEnvironment } from './inherited-environment.ts'

const root = join(import.meta.dir, '../../..')

/** A command of Sitehost in a process of its own. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number
  /** Its exit code, once it has ended, for whatever reason. */
  readonly exited: Promise<number>
  /** What stands behind `ready `. */
  readonly ready: Readonly<Record<string, unknown>> & { readonly app: string }
  /** Everything on standard output so far. */
  output(): string
  /** Everything on standard error, once it has ended. */
  complaints(): Promise<string>
  /** Sends the signal and waits for the end; the exit code. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number>
  /** Resident memory, in bytes (Linux). */
  residentBytes(): Promise<number>
}

/** Starts `bin/sitehost <args>`, or another program, and waits for its ready line. */
export async function startServiceProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { program = join(root, 'bin/sitehost'), cwd = process.cwd() } = {},
): Promise<ServiceProcess> {
  const child = Bun.spawn({
    cmd: [program, ...args],
    cwd,
    env: { ...inheritedEnvironment(), ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = new Response(child.stderr).text()
  let output = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk, { stream: true })
      const line = /^ready (.*)\n/m.exec(output)?.[1]
      if (line !== undefined) resolve(line)
    }
    reject(new Error(`no ready line; exit code ${await child.exited}: ${output}${await errors}`))
  })()
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<number> => {
    child.kill(signal)
    return await child.exited
  }
  return {
    pid: child.pid,
    exited: child.exited,
    ready: JSON.parse(await promise) as ServiceProcess['ready'],
    output: () => output,
    complaints: () => errors,
    end,
    async residentBytes() {
      const status = await Bun.file(`/proc/${child.pid}/status`).text()
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
    },
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
    },
  }
}
