/**
 * Ends the process with its exit code once standard output and error have been taken: `process.exit` alone drops what a pipe
 * has not. A reader that has gone takes nothing more.
 */
export async function endProcess(): Promise<never> {
  await Promise.all([process.stdout, process.stderr].map(written))
  // Idle connections, and a reconnection timer of a library, must not delay the exit.
  process.exit()
}

/** The output of a command may be cut by its reader (`| head`): that is no failure of the command. */
export function ignoreGoneReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}

const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()))
