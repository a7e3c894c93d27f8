import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packCli } from '../../scripts/build-cli.ts'
import type { CommandEnd } from './run-command.ts'

/** The package for site owners, installed in an empty folder. */
export interface InstalledCli extends AsyncDisposable {
  /** Where commands run. */
  readonly dir: string
  /** Runs it with the machine's Node, without a terminal. */
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<CommandEnd>
}

/** Packs the command line and installs it as its users do, without a registry. */
export async function installCli(): Promise<InstalledCli> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-cli-'))
  const file = join(dir, 'sitehost-cli.tgz')
  await packCli(file)
  const npm = ['npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', file]
  const installed = Bun.spawn(npm, { cwd: dir, stdout: 'ignore', stderr: 'inherit' })
  if ((await installed.exited) !== 0) throw new Error('npm install failed')
  return {
    dir,
    async run(args, environment = {}) {
      const child = Bun.spawn({
        cmd: [join(dir, 'node_modules/.bin/sitehost'), ...args],
        cwd: dir,
        env: { PATH: process.env['PATH'], HOME: dir, ...environment },
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [output, complaints] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return { code: await child.exited, said: output.split('\n').filter(Boolean), complaints }
    },
    async [Symbol.asyncDispose]() {
      await rm(dir, { recursive: true, force: true })
    },
  }
}
