import { spawn } from 'node:child_process'
import { CommandError, UsageError } from '#cli/command-error.ts'

const { platform } = process

/** The person's editor, a line for the shell: it may have arguments. Without a terminal one has to be named. Throws UsageError. */
export function editorOf(named: string | undefined, isInteractive: boolean): string {
  if (named) return named
  if (isInteractive) return platform === 'win32' ? 'notepad' : 'vi'
  throw new UsageError(
    'There is no terminal to edit at. Use "sitehost settings set", or name a program as EDITOR.',
  )
}

/** Resolves once the editor has ended. Throws CommandError. */
export async function runEditor(editor: string, file: string, signal: AbortSignal): Promise<void> {
  const options = { stdio: 'inherit', signal } as const
  const child =
    platform === 'win32'
      ? spawn(`${editor} "${file}"`, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], options)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  child.on('error', reject).on('exit', (code) => {
    const failed = `The editor failed, and nothing was changed: ${editor}. What you typed is in ${file}.`
    if (code === 0) resolve()
    else reject(new CommandError(failed))
  })
  await promise
}
