import { Uploader } from '#web/publish/uploader.tsx'
import { Link } from '#web/shell/link.tsx'
import { Page } from '#web/shell/page.tsx'
import styles from './onboarding-page.module.css'

const none: readonly string[] = []

/** `/onboarding`: the first sign-in of someone who has no site yet. */
export default function OnboardingPage() {
  return (
    <Page title="Welcome">
      <div className={styles['opening']}>
        <h1>Welcome</h1>
        <p>
          Choose the folder that holds your website. It is stored in your own account and gets an
          address at once.
        </p>
      </div>
      <Uploader siteNames={none} title="Publish your first site" />
      <p>
        <Link href="/editor">Go to your sites</Link>
      </p>
    </Page>
  )
}
