import { Page } from '#web/shell/page.tsx'
import { AccountDeletionForm } from './account-deletion-form.tsx'
import styles from './account-page.module.css'

/** `/account`: export and deletion of the data stored here. */
export default function AccountPage() {
  return (
    <Page title="Account">
      <h1>Account</h1>
      <section aria-labelledby="export" className={styles['section']}>
        <h2 id="export">Export your data</h2>
        <p>
          One file with everything this service stores about your account: your sites with the names
          and hashes of their files, addresses, domains, uploads of the last day, and sign-ins. The
          files themselves are in your account.
        </p>
        <p>
          <a download href="/api/user/export">
            Download everything as a file
          </a>
        </p>
      </section>
      <section aria-labelledby="account-deletion" className={styles['section']}>
        <h2 id="account-deletion">Delete your data here</h2>
        <AccountDeletionForm />
      </section>
    </Page>
  )
}
