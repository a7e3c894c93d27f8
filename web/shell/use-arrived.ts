import { startTransition, useEffect, useState } from 'react'
import { isChangingPages } from '#web/shell/routing/address.ts'

/**
 * False in the first drawing of a page that takes another's place, and true once that is seen: what waits until then makes the
 * page come sooner. Always true where a document is opened, or where one goes back to a place further down.
 */
export function useArrived(): boolean {
  const [hasArrived, setArrived] = useState(() => !isChangingPages())
  useEffect(() => {
    if (hasArrived) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      // The next task runs after the frame is painted.
      timer = setTimeout(() => startTransition(() => setArrived(true)))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [hasArrived])
  return hasArrived
}
