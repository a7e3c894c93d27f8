import { Uploader } from '#web/publish/uploader.tsx'
import { AccountCorner } from '#web/shell/account-corner.tsx'
import { PageFrame } from '#web/shell/page-frame.tsx'
import styles from './onboarding-page.module.css'

const none: readonly string[] = []

/** `/onboarding`: the first sign-in of someone who has no site yet. */
export function OnboardingPage() {
  return (
    <PageFrame corner={<AccountCorner />} title="Welcome">
      <div className={styles['opening']}>
        <h1>Welcome</h1>
        <p>
          Choose the folder that holds your website. It is stored in your own account and gets an
          address at once.
        </p>
      </div>
      <Uploader siteNames={none} title="Publish your first site" />
      <p>
        <a href="/editor">Go to your sites</a>
      </p>
    </PageFrame>
  )
}
