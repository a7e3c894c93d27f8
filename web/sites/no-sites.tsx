import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { FileDrop } from '#web/publish/file-drop.tsx'
import { publishSession } from '#web/publish/publish-session.ts'
import { usePublishSession } from '#web/publish/use-publish-session.ts'
import { ApiError, syncSites } from '#web/server/api.ts'
import { refreshSites, userQuery } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { goTo } from '#web/shell/routing/address.ts'
import { LazyDialog, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { words } from '#web/words/words.ts'
import styles from './no-sites.module.css'

const starterDialog = lazyModule(() => import('#web/start/starter-dialog.tsx'))

/** In the place of an empty list: the first site begins here. Sites that were written elsewhere may be on their way. */
export function NoSites() {
  const { empty } = words.sites
  const client = useQueryClient()
  const session = usePublishSession()
  const { data: user } = useQuery(userQuery)
  const [isStarting, setStarting] = useState(false)
  const { isBusy, problem, run } = useAction()
  const check = async () => {
    const { errors } = await syncSites()
    await refreshSites(client)
    const [first] = errors
    if (first !== undefined) throw new ApiError(null, `${first.rkey}: ${first.error}`)
  }
  const closeStarter = () => {
    setStarting(false)
    continueIfChosen()
  }
  return (
    <div className={styles['none']}>
      <p className={styles['text']}>{empty.text}</p>
      <FileDrop onTaken={continueIfChosen} session={session} />
      <div className={styles['ways']}>
        <Button look="secondary" onClick={() => setStarting(true)}>
          {words.start.fromTemplate}
        </Button>
        <Button isBusy={isBusy} look="ghost" onClick={() => void run(check)}>
          {isBusy ? empty.checking : empty.check}
        </Button>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
      {isStarting && (
        <LazyDialog
          of={starterDialog}
          props={{ handle: user?.handle ?? '', onClose: closeStarter }}
        />
      )}
    </div>
  )
}

/** The page for new sites shows how the reading goes, and what comes next. */
function continueIfChosen(): void {
  const { choice, found } = publishSession.state
  if (choice !== null || found !== null) goTo('/onboarding')
}
