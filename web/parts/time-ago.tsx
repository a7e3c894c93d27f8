import { useSyncExternalStore } from 'react'
import { words } from '#web/words/words.ts'
import { timeAgo } from './relative-time.ts'

/** How long ago something happened; on hover, when. */
export function TimeAgo({ at }: { at: string }) {
  const minute = useSyncExternalStore(subscribe, currentMinute, currentMinute)
  const now = Math.max(minute * minuteMs, Date.parse(at))
  return (
    <time
      dateTime={at}
      // The service may have drawn it in the minute before.
      suppressHydrationWarning
      onPointerEnter={({ currentTarget }) => currentTarget.setAttribute('title', when(at))}
    >
      {timeAgo(Date.parse(at), now)}
    </time>
  )
}

/** A date format takes longer to make than the rest of the element: not before it is wanted. */
const when = (at: string): string => new Date(at).toLocaleString(words.locale)

const minuteMs = 60_000

const currentMinute = (): number => Math.floor(Date.now() / minuteMs)

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, minuteMs / 2)
  return () => clearInterval(timer)
}
