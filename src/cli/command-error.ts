/** A command cannot do what was asked; each line says why and what to do, in a sentence for its user. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly lines: readonly string[]

  constructor(lines: string | readonly string[], options?: ErrorOptions) {
    const all = [lines].flat()
    super(all.join('\n'), options)
    this.lines = all
  }
}

/** The command was called in a way that it cannot work. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
}

/** The site is published, but visitors do not get it yet. */
export class NotLiveError extends CommandError {
  override readonly name = 'NotLiveError'
}

/** The folder has the site without files that programs would obey. */
export class PulledInPartError extends CommandError {
  override readonly name = 'PulledInPartError'
}

/** The exit status of each outcome, as `docs/command-line.md` lists them. */
export function exitCodeOf(error: CommandError): number {
  if (error instanceof UsageError) return 2
  return error instanceof NotLiveError || error instanceof PulledInPartError ? 3 : 1
}
