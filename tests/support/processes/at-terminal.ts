import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'

const root = join(import.meta.dir, '../../..')

/** A command of Sitehost and the terminal it runs at. */
export interface AtTerminal extends AsyncDisposable {
  /** Resolves once all that was shown holds this text. */
  shows(text: string): Promise<void>
  type(text: string): void
  /** All that was shown. */
  screen(): string
  readonly exited: Promise<number>
  /** Sends SIGTERM and waits for the end; the exit code. */
  end(): Promise<number>
}

interface Started {
  readonly program?: string
  readonly cwd?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs a program, `bin/sitehost` if none is named, at a terminal of 100 columns. */
export function runAtTerminal(
  args: readonly string[],
  { program = join(root, 'bin/sitehost'), cwd = process.cwd(), environment = {} }: Started = {},
): AtTerminal {
  let screen = ''
  const decoder = new TextDecoder()
  const child = Bun.spawn({
    cmd: [program, ...args],
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TERM: 'xterm',
      ...environment,
    },
    terminal: {
      cols: 100,
      rows: 30,
      data(_, bytes) {
        screen += decoder.decode(bytes, { stream: true })
      },
    },
  })
  return {
    exited: child.exited,
    screen: () => screen,
    type: (text) => void child.terminal?.write(text),
    async shows(text) {
      await eventually(async () => {
        if (!screen.includes(text)) throw new Error(`the screen does not show ${text}: ${screen}`)
      })
    },
    async end() {
      child.kill('SIGTERM')
      return await child.exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      child.terminal?.close()
    },
  }
}
