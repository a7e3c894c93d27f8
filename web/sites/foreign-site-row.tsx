import { useState } from 'react'
import type { AnswerTo } from '#api/contract/client.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Status } from '#web/parts/status.tsx'
import { Link } from '#web/shell/routing/link.tsx'
import { SiteTile } from '#web/site/site-tile.tsx'
import { words } from '#web/words/words.ts'
import { BringOverDialog } from './bring-over-dialog.tsx'
import styles from './foreign-sites.module.css'
import { useBringOver } from './use-bring-over.ts'

export type ForeignSite = AnswerTo<'GET /api/user/foreign-sites'>['sites'][number]

interface ForeignSiteRowProps {
  readonly site: ForeignSite
  readonly taken: readonly string[]
}

/** A site of another network, and the button that makes one of ours of it. */
export function ForeignSiteRow({ site, taken }: ForeignSiteRowProps) {
  const { copy, name, rkey, state, url } = site
  const { foreign } = words
  const { isBusy, problem, progress, bringOver } = useBringOver()
  const [isAsking, setAsking] = useState(false)
  const begin = () => {
    if (taken.includes(rkey)) setAsking(true)
    else void bringOver(name, rkey)
  }
  return (
    <li>
      <SiteTile name={rkey} />
      <div className={styles['names']}>
        <strong className={styles['name']} dir="auto">
          {rkey}
        </strong>
        <a className={styles['address']} href={url} rel="noopener" target="_blank">
          {new URL(url).host}
        </a>
      </div>
      <div className={styles['does']}>
        {copy !== null ? (
          <Status state="live">
            <Link href={`/sites/${encodeURIComponent(copy)}`}>{foreign.here(copy)}</Link>
          </Status>
        ) : state === 'live' || isBusy ? (
          <Button
            aria-label={foreign.bringOf(rkey)}
            isBusy={isBusy}
            look="secondary"
            onClick={begin}
          >
            {foreign.bring}
          </Button>
        ) : (
          <Status state={state === 'unread' ? 'waiting' : 'broken'}>
            {words.site.states[state]}
          </Status>
        )}
        <span className={styles['soft']} role="status">
          {progress}
        </span>
        {problem !== null && <Problem>{problem}</Problem>}
      </div>
      {isAsking && (
        <BringOverDialog
          onClose={() => setAsking(false)}
          onName={(chosen) => {
            setAsking(false)
            void bringOver(name, chosen)
          }}
          rkey={rkey}
          taken={taken}
        />
      )}
    </li>
  )
}
