import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packCli } from '../../../scripts/build-cli.ts'
import { type AtTerminal, runAtTerminal } from './at-terminal.ts'
import type { CommandEnd } from './run-command.ts'

/** The package for site owners, installed in an empty folder. */
export interface InstalledCli extends AsyncDisposable {
  /** Where commands run. */
  readonly dir: string
  /** Runs it with the machine's Node, without a terminal. */
  run(
    args: readonly string[],
    environment?: Environment,
    /** Called with all of standard error so far, as it grows. */
    onComplaints?: (text: string) => void,
  ): Promise<CommandEnd>
  /** The same, for one that is ended from outside. */
  start(
    args: readonly string[],
    environment?: Environment,
    onComplaints?: (text: string) => void,
  ): StartedCommand
  /** The same at a terminal. */
  runAtTerminal(args: readonly string[], environment?: Environment): AtTerminal
}

export interface StartedCommand {
  kill(signal: NodeJS.Signals): void
  /** The exit code of one that a signal ended is 128 and its number. */
  readonly end: Promise<CommandEnd>
}

type Environment = Readonly<Record<string, string>>

/** Packs the command line and installs it as its users do, without a registry. */
export async function installCli(): Promise<InstalledCli> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-cli-'))
  const file = join(dir, 'sitehost-cli.tgz')
  await packCli(file)
  const npm = ['npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', file]
  const installed = Bun.spawn(npm, { cwd: dir, stdout: 'ignore', stderr: 'inherit' })
  if ((await installed.exited) !== 0) throw new Error('npm install failed')
  const program = join(dir, 'node_modules/.bin/sitehost')
  const start = (
    args: readonly string[],
    environment: Environment = {},
    onComplaints: (text: string) => void = () => {},
  ): StartedCommand => {
    const child = Bun.spawn({
      cmd: [program, ...args],
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir, ...environment },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const texts = [new Response(child.stdout).text(), textOf(child.stderr, onComplaints)] as const
    const end = Promise.all(texts).then(async ([output, complaints]) => {
      return { code: await child.exited, said: output.split('\n').filter(Boolean), complaints }
    })
    return { kill: (signal) => child.kill(signal), end }
  }
  return {
    dir,
    runAtTerminal: (args, environment = {}) =>
      runAtTerminal(args, { program, cwd: dir, environment: { HOME: dir, ...environment } }),
    run: (args, environment, onComplaints) => start(args, environment, onComplaints).end,
    start,
    async [Symbol.asyncDispose]() {
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function textOf(
  stream: ReadableStream<Uint8Array>,
  onText: (text: string) => void,
): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    onText(text)
  }
  return text
}
