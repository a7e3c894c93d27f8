import { setTimeout } from 'node:timers/promises'

const pollMs = 300
/** Polling takes at most a twentieth of the time: large folders and slow disks are polled less often. */
const restPerPoll = 20
/** A state that keeps changing is reported after this many polls. */
const unsettledPollsMax = 5

interface Watched<Seen> {
  /** Polled: file notifications differ between systems, and miss changes. */
  readonly poll: () => Promise<Seen>
  /** Equal for equal states. */
  readonly stateOf: (seen: Seen) => string
  /** Called with a new state once two polls agree, or it keeps changing. */
  readonly onChange: (seen: Seen) => Promise<void>
  readonly signal: AbortSignal
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Polls for changes. Rejects with the signal's AbortError. */
export async function watchForChanges<Seen>(
  known: Seen,
  {
    poll,
    stateOf,
    onChange,
    signal,
    pause = (ms) => setTimeout(ms, undefined, { signal }),
  }: Watched<Seen>,
): Promise<never> {
  let reported = stateOf(known)
  let last = reported
  let unsettledPolls = 0
  let tookMs = 0
  for (;;) {
    await pause(Math.max(pollMs, tookMs * restPerPoll), signal)
    const startedAt = performance.now()
    const seen = await poll()
    tookMs = performance.now() - startedAt
    const state = stateOf(seen)
    unsettledPolls = state === last ? 0 : unsettledPolls + 1
    last = state
    if (state === reported) continue
    if (unsettledPolls > 0 && unsettledPolls < unsettledPollsMax) continue
    reported = state
    unsettledPolls = 0
    await onChange(seen)
  }
}
