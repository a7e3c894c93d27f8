import { useEffect, useState } from 'react'
import { readAuthStatus } from './api.ts'
import { News } from './news.tsx'
import { PageFrame } from './page-frame.tsx'
import { noticeOf } from './session.ts'
import { SignInForm } from './sign-in-form.tsx'
import styles from './sign-in-page.module.css'

/** `/`: says what this is and lets people in; those who are in already go on to their sites. */
export function SignInPage() {
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
    <PageFrame title="Sign in">
      {notice?.kind === 'news' && <News>{notice.text}</News>}
      <div className={styles['opening']}>
        <h1 className={styles['headline']}>Your website, in your own account</h1>
        <p className={styles['lead']}>
          Drop a folder, and it becomes a website. Sitehost keeps it in the repository of your own
          account and serves it under an address of its own.
        </p>
      </div>
      <SignInForm notice={notice?.kind === 'problem' ? notice.text : null} />
      <ul className={styles['facts']}>
        <li>
          <h2>It stays yours</h2>
          <p>The files are in your account, signed by it. Any other host can serve them too.</p>
        </li>
        <li>
          <h2>Nothing half done</h2>
          <p>A new version goes live as a whole, or the old one stays.</p>
        </li>
        <li>
          <h2>Only what is needed</h2>
          <p>You sign in with your own server. Sitehost may write your sites, not your posts.</p>
        </li>
      </ul>
    </PageFrame>
  )
}
