import { type Finding, ok, problem, warning } from './finding.ts'

const answerMsMax = 5_000
/** Account servers refuse signatures of clocks that differ by much more. */
const differenceMsMax = 5_000
/** `Date` has whole seconds, rounded down. */
const dateStepMs = 1_000

/** Compares the clock with the Date field of a server, such as the directory of accounts. */
export async function checkClock(url: string, now: () => number): Promise<Finding> {
  const began = now()
  const theirs = await dateOf(url)
  const ended = now()
  if (theirs === null) {
    return warning(
      'clock',
      `${url} did not say the time`,
      'see whether this machine reaches it; compare the clock with timedatectl',
    )
  }
  const ahead = began - (theirs + dateStepMs)
  const behind = theirs - ended
  const differenceMs = Math.max(ahead, behind, 0)
  const seconds = Math.round(differenceMs / 1000)
  if (differenceMs <= differenceMsMax) return ok('clock', `at most ${seconds + 1} s off`)
  return problem(
    'clock',
    `${seconds} s ${ahead > behind ? 'ahead of' : 'behind'} the clock of ${new URL(url).host}`,
    'set it by the network: timedatectl set-ntp true',
  )
}

/** By how much a Date field and our clock differ, in milliseconds; null: there is none. */
export function dateDifferenceOf(field: string | null, now: number): number | null {
  const theirs = Date.parse(field ?? '')
  return Number.isNaN(theirs) ? null : Math.max(0, Math.abs(now - theirs) - dateStepMs)
}

async function dateOf(url: string): Promise<number | null> {
  try {
    const answer = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(answerMsMax),
    })
    const time = Date.parse(answer.headers.get('date') ?? '')
    return Number.isNaN(time) ? null : time
  } catch {
    return null
  }
}
