import { join } from 'node:path'
import { inheritedEnvironment } from './inherited-environment.ts'

const root = join(import.meta.dir, '../../..')

export interface CommandEnd {
  readonly code: number
  /** Lines of standard output. */
  readonly said: readonly string[]
  readonly complaints: string
}

/** Runs `bin/sitehost <args>` to its end; `input` is what it reads. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input?: string,
): Promise<CommandEnd> {
  const child = Bun.spawn({
    cmd: [join(root, 'bin/sitehost'), ...args],
    env: { ...inheritedEnvironment(), ...environment },
    stdin: input === undefined ? 'ignore' : Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, said: output.split('\n').filter(Boolean), complaints }
}
