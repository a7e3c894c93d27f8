import { eventually } from '#tests/support/eventually.ts'

/** A server that is a program of its own. */
export interface Program extends AsyncDisposable {
  readonly pid: number
  kill(signal: NodeJS.Signals): void
}

/** Resolves when the program answers; throws what it has written when it ends before. `environment` adds to this process’s. */
export async function startProgram(
  command: readonly string[],
  answers: () => Promise<unknown>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const child = Bun.spawn([...command], {
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const written = new Response(child.stderr).text()
  const failed = child.exited.then(async () => {
    throw new Error(`${command.join(' ')}: ${await written}`)
  })
  failed.catch(() => undefined)
  const dispose = async (): Promise<void> => {
    child.kill()
    await child.exited
  }
  await Promise.race([eventually(answers), failed]).catch(async (error) => {
    await dispose()
    throw error
  })
  return {
    pid: child.pid,
    kill: (signal) => child.kill(signal),
    [Symbol.asyncDispose]: dispose,
  }
}
