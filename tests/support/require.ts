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
