import { AccountCorner } from './account-corner.tsx'
import styles from './account-page.module.css'
import { LeaveForm } from './leave-form.tsx'
import { PageFrame } from './page-frame.tsx'

/** `/account`: taking along what is here, and going. */
export function AccountPage() {
  return (
    <PageFrame corner={<AccountCorner />} title="Account">
      <h1>Account</h1>
      <section aria-labelledby="export" className={styles['section']}>
        <h2 id="export">Take it along</h2>
        <p>
          One file with everything this service knows about your account: your sites with their
          files’ names and hashes, names, domains, uploads of the last day and when you signed in.
          The files themselves are in your repository.
        </p>
        <p>
          <a download href="/api/user/export">
            Download everything as a file
          </a>
        </p>
      </section>
      <section aria-labelledby="leave" className={styles['section']}>
        <h2 id="leave">Leave</h2>
        <LeaveForm />
      </section>
    </PageFrame>
  )
}
