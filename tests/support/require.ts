/** Where a program is; null if it is not installed. The only look-up of programs that suites need, so that a PATH can hide them. */
export const programPath = (name: string): string | null =>
  Bun.which(name, { PATH: withSystemFolders(process.env['PATH'] ?? '') })

/** Debian has servers in an `sbin`, which is not in everybody's PATH. */
const withSystemFolders = (path: string): string =>
  path
    .split(':')
    .flatMap((folder) => [folder, folder.replace(/\/bin$/, '/sbin')])
    .join(':')

/** Whether all of these programs are installed; see `available`. */
export const hasPrograms = (suite: string, ...names: readonly string[]): Promise<boolean> =>
  available(suite, async () => {
    const missing = names.filter((name) => programPath(name) === null)
    if (missing.length > 0) throw new Error(`not installed: ${missing.join(', ')}`)
  })

/**
 * Whether what a suite needs is here: `probe` resolves. When it rejects, one line on stderr says
 * that the suite was not run and why; with REQUIRE_ALL=1 that is an error instead.
 */
export async function available(suite: string, probe: () => Promise<unknown>): Promise<boolean> {
  try {
    await probe()
    return true
  } catch (cause) {
    if (process.env['REQUIRE_ALL'] === '1') throw new Error(`cannot run ${suite}`, { cause })
    process.stderr.write(`NOT RUN  ${suite}: ${reasonOf(cause)}\n`)
    return false
  }
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause && String(cause.code)) || cause.name
}
