import { setTimeout } from 'node:timers/promises'

const lookAgainMs = 300
/** Looking may take a twentieth of the time: a large folder or a slow disk is looked at less often. */
const restPerLook = 20
/** What never settles is taken as it is. */
const unsettledLooksMax = 5

interface Watched<Seen> {
  /** Not told of changes by the system: that is different everywhere, and misses some. */
  readonly look: () => Promise<Seen>
  /** The same text for the same. */
  readonly stateOf: (seen: Seen) => string
  /** Called with what has changed, once it was the same twice, or keeps changing. */
  readonly onChange: (seen: Seen) => Promise<void>
  readonly signal: AbortSignal
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Looks whether something is not as it was, again and again. Rejects with the signal's AbortError. */
export async function watchForChanges<Seen>(
  known: Seen,
  { look, stateOf, onChange, signal, pause = rest }: Watched<Seen>,
): Promise<never> {
  let told = stateOf(known)
  let last = told
  let unsettledLooks = 0
  let tookMs = 0
  for (;;) {
    await pause(Math.max(lookAgainMs, tookMs * restPerLook), signal)
    const startedAt = performance.now()
    const seen = await look()
    tookMs = performance.now() - startedAt
    const state = stateOf(seen)
    unsettledLooks = state === last ? 0 : unsettledLooks + 1
    last = state
    if (state === told) continue
    if (unsettledLooks > 0 && unsettledLooks < unsettledLooksMax) continue
    told = state
    unsettledLooks = 0
    await onChange(seen)
  }
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal })
