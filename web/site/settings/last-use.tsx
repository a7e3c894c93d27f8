import { TimeAgo } from '#web/parts/time-ago.tsx'
import { words } from '#web/words/words.ts'

export function LastUse({ at }: { at: string | null }) {
  const { never, used } = words.ci
  if (at === null) return never
  return (
    <>
      {used} <TimeAgo at={at} />
    </>
  )
}
