import { useEffect, useState } from 'react'
import { News } from '#web/parts/news.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { ChosenFiles } from '#web/publish/chosen-files.tsx'
import { FileDrop } from '#web/publish/file-drop.tsx'
import { publishSession } from '#web/publish/publish-session.ts'
import { usePublishSession } from '#web/publish/use-publish-session.ts'
import { readAuthStatus } from '#web/server/api.ts'
import { instance } from '#web/server/instance.ts'
import { noticeOf } from '#web/server/session.ts'
import { goTo } from '#web/shell/routing/address.ts'
import { LazyDialog, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import { words } from '#web/words/words.ts'
import { AccountHelp } from './account-help.tsx'
import { SampleSite } from './sample-site.tsx'
import { SignInForm } from './sign-in-form.tsx'
import styles from './start-page.module.css'
import { useSignIn } from './use-sign-in.ts'

const starterDialog = lazyModule(() => import('./starter-dialog.tsx'))

/** `/`: a folder is dropped before anything else; signing in publishes it. People who are signed in get their sites. */
export default function StartPage() {
  const { start } = words
  const [notice] = useState(() => noticeOf(location.search))
  const [isStarting, setStarting] = useState(false)
  const session = usePublishSession()
  const { choice } = session
  const publishes = choice !== null && choice.problems.length === 0
  const signIn = useSignIn({
    notice,
    onLeaving: async (account) => (publishes ? await publishSession.want(account) : undefined),
  })
  useEffect(() => {
    // What was dropped before the sign-in was denied is still there, and waits for another try.
    publishSession.unwant()
    void publishSession.restore()
    // Whoever was sent here to read something stays, also so that no two pages send them back and forth.
    if (notice !== null) return
    readAuthStatus().then(
      ({ authenticated }) => authenticated && goTo('/editor', { replace: true }),
      // The form below says what is wrong when it is used.
      () => undefined,
    )
  }, [notice])
  return (
    <Page title={start.tab}>
      {(notice?.kind === 'news' || notice?.kind === 'request') && (
        <News tone={notice.kind === 'request' ? 'info' : 'good'}>{notice.text}</News>
      )}
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <h1 className={styles['headline']}>
            {start.lines.map((line) => (
              <span key={line}>{line} </span>
            ))}
          </h1>
          <p className={styles['lead']}>{start.lead}</p>
          <OwnText />
          {choice !== null && <ChosenFiles choice={choice} session={session} />}
          <div className={choice === null ? styles['hero'] : undefined}>
            <FileDrop session={session} />
          </div>
          {choice === null && (
            <p className={styles['aside']}>
              {start.noSite}{' '}
              <button className={styles['link']} onClick={() => setStarting(true)} type="button">
                {start.fromTemplate}
              </button>
            </p>
          )}
          {signIn.warning !== null && <Notice tone="warn">{signIn.warning}</Notice>}
          <SignInForm publishes={publishes} signIn={signIn} />
          {publishes && session.kept === 'kept' && <p className={styles['kept']}>{start.kept}</p>}
          <AccountHelp signIn={signIn} />
        </div>
        <SampleSite />
      </div>
      <Facts />
      {isStarting && (
        <LazyDialog
          of={starterDialog}
          props={{ handle: signIn.handle, onClose: () => setStarting(false) }}
        />
      )}
    </Page>
  )
}

/** What the operator of this service says. */
function OwnText() {
  if (instance.frontPageText.length === 0) return null
  return (
    <div className={styles['own']}>
      {instance.frontPageText.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  )
}

function Facts() {
  const { facts, onlySites } = words.start
  const all = [...facts, { title: onlySites.title, text: onlySites.text(instance.name) }]
  return (
    <ul className={styles['facts']}>
      {all.map(({ title, text }) => (
        <li key={title}>
          <h2>{title}</h2>
          <p>{text}</p>
        </li>
      ))}
    </ul>
  )
}
