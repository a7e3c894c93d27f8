import type { ReactNode } from 'react'
import { Notice } from './notice.tsx'

/** What has happened; `good`: and is as it was meant. */
export function News({ tone = 'good', children }: { tone?: 'good' | 'info'; children: ReactNode }) {
  return (
    <Notice tone={tone}>
      <p>{children}</p>
    </Notice>
  )
}
