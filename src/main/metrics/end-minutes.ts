import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'

const minuteMs = 60_000

/** Something that keeps its numbers by the minute. */
interface KeepsMinutes {
  endMinute(): void | Promise<void>
}

/** Ends their minutes, once a minute, until the signal is aborted. */
export function endMinutes(
  keepers: readonly KeepsMinutes[],
  context: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const failure = 'numbers of a minute not kept'
  const rhythm = { everyMs: minuteMs, firstAfterMs: minuteMs, failure }
  return repeatEvery(
    rhythm,
    async () => {
      for (const keeper of keepers) await keeper.endMinute()
    },
    context,
  )
}
