import { useEffect, useState } from 'react'
import { News } from '#web/parts/news.tsx'
import { readAuthStatus } from '#web/server/api.ts'
import { instance } from '#web/server/instance.ts'
import { noticeOf } from '#web/server/session.ts'
import { Page } from '#web/shell/page.tsx'
import { SignInForm } from './sign-in-form.tsx'
import styles from './start-page.module.css'

/** `/`: says what this is and lets people in; those who are in already go on to their sites. */
export default function StartPage() {
  const [notice] = useState(() => noticeOf(location.search))
  useEffect(() => {
    // Whoever was sent here to read something stays, also so that no two pages send them back and forth.
    if (notice !== null) return
    readAuthStatus().then(
      ({ authenticated }) => authenticated && location.replace('/editor'),
      // The form below says what is wrong when it is used.
      () => undefined,
    )
  }, [notice])
  return (
    <Page title="Sign in">
      {notice?.kind === 'news' && <News>{notice.text}</News>}
      <div className={styles['opening']}>
        <h1 className={styles['headline']}>Your website. Your account. Live in seconds.</h1>
        <p className={styles['lead']}>
          Drop a folder to put it online. The files live in your own AT Protocol account, so you can
          take them to any other host.
        </p>
      </div>
      {instance.frontPageText.length > 0 && (
        <div className={styles['own']}>
          {instance.frontPageText.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
        </div>
      )}
      <SignInForm notice={notice?.kind === 'problem' ? notice.text : null} />
      <ul className={styles['facts']}>
        <li>
          <h2>You own it</h2>
          <p>Your account holds the files and signs them. Any other host can serve them too.</p>
        </li>
        <li>
          <h2>Updates are all or nothing</h2>
          <p>Visitors see the whole new version, or still the old one.</p>
        </li>
        <li>
          <h2>We only touch your sites</h2>
          <p>
            You sign in at your own server. {instance.name} can write your sites, not your posts.
          </p>
        </li>
      </ul>
    </Page>
  )
}
