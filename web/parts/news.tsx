import type { ReactNode } from 'react'
import { Notice } from './notice.tsx'

/** What has happened, and is as it should be. */
export function News({ children }: { children: ReactNode }) {
  return (
    <Notice tone="good">
      <p>{children}</p>
    </Notice>
  )
}
