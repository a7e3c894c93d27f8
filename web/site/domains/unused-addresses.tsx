import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import type { Names } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { AddressMenu } from './address-menu.tsx'
import { assignTo, type Unused, unusedOf } from './unused.ts'
import styles from './unused-addresses.module.css'

/** What the account has and no site shows, for this site to take. */
export function UnusedAddresses({ names, rkey }: { names: Names; rkey: string }) {
  const texts = words.domains.unused
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const take = (each: Unused) =>
    run(async () => {
      await assignTo(each, rkey)
      toast(texts.taken(each.domain))
      await refreshAddresses(client)
    })
  return (
    <UnusedList names={names} problem={problem}>
      {(each) => (
        <Button
          aria-label={texts.takeOf(each.domain)}
          isBusy={isBusy}
          look="secondary"
          onClick={() => void take(each)}
        >
          {texts.take}
        </Button>
      )}
    </UnusedList>
  )
}

interface UnusedListProps {
  readonly names: Names
  readonly problem?: string | null
  /** What can be done with one, besides giving it up. */
  readonly children: (unused: Unused) => ReactNode
}

/** Nothing where each address is used. */
export function UnusedList({ names, problem = null, children }: UnusedListProps) {
  const unused = unusedOf(names)
  if (unused.length === 0) return null
  return (
    <section aria-labelledby="unused" className={styles['unused']}>
      <h2 id="unused">{words.domains.unused.title}</h2>
      <ul>
        {unused.map((each) => (
          <li key={each.domain}>
            <bdi>{each.domain}</bdi>
            {children(each)}
            <AddressMenu address={each} isUnused />
          </li>
        ))}
      </ul>
      {problem !== null && <Problem>{problem}</Problem>}
    </section>
  )
}
