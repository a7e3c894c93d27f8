import { clockFinding, dateStepMs } from '#cli/diagnosis/clock-finding.ts'
import { type Finding, warning } from '#cli/diagnosis/finding.ts'

const answerMsMax = 5_000

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
  return clockFinding(new URL(url).host, theirs, { began, ended })
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
