import { type Finding, ok, problem } from './finding.ts'

/** Account servers refuse signatures of clocks that differ by much more. */
const differenceMsMax = 5_000
/** `Date` has whole seconds, rounded down. */
export const dateStepMs = 1_000

/** Compares our clock, at the start and at the end of a request, with the `Date` of its answer. */
export function clockFinding(
  host: string,
  theirs: number,
  { began, ended }: { readonly began: number; readonly ended: number },
): Finding {
  const ahead = began - (theirs + dateStepMs)
  const behind = theirs - ended
  const differenceMs = Math.max(ahead, behind, 0)
  const seconds = Math.round(differenceMs / 1000)
  if (differenceMs <= differenceMsMax) return ok('clock', `at most ${seconds + 1} s off`)
  return problem(
    'clock',
    `${seconds} s ${ahead > behind ? 'ahead of' : 'behind'} the clock of ${host}`,
    'set it by the network, on Linux with: timedatectl set-ntp true',
  )
}
