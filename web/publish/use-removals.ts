import { useEffect, useState } from 'react'
import type { Choice } from '#web/publish/files/choose-files.ts'
import { findRemovals, type Removals } from './find-removals.ts'

interface KnownRemovals {
  readonly site: string
  readonly choice: Choice
  /** Null: there is nothing to ask about. */
  readonly removals: Removals | null
}

/** What the choice takes from the site that it replaces, as soon as that is known. `site` null: it replaces none. */
export function useRemovals(site: string | null, choice: Choice | null): KnownRemovals | null {
  const [known, setKnown] = useState<KnownRemovals | null>(null)
  useEffect(() => {
    if (site === null || choice === null) return
    let isCurrent = true
    void findRemovals(site, choice).then((removals) => {
      if (isCurrent) setKnown({ site, choice, removals })
    })
    return () => {
      isCurrent = false
    }
  }, [site, choice])
  return known?.site === site && known.choice === choice ? known : null
}
