import { useState } from 'react'
import { Choice } from '#web/parts/choice.tsx'
import { Confirm } from '#web/parts/confirm.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { forgetDropped } from '#web/publish/forget-dropped.ts'
import { deleteAccount } from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import styles from './account-page.module.css'

/** Deletes everything stored here, after a confirmation that lists it. */
export function AccountDeletionForm() {
  const [records, setRecords] = useState(false)
  const { isBusy, problem, run } = useAction()
  const confirm = async () => {
    if (!(await run(() => deleteAccount(records)))) return
    await forgetDropped()
    location.assign('/?news=left')
  }
  return (
    <div className={styles['form']}>
      <p>
        Your sites go offline. Your addresses are reserved for you for 30 days. This service keeps
        only a fingerprint of your account’s id, so that only signing in brings you back, and log
        lines of the last 30 days. Your account stays at your own server.
      </p>
      <Choice
        checked={records}
        label="Also delete my sites from my account, so that no other service can show them"
        onChange={(event) => setRecords(event.target.checked)}
        type="checkbox"
      />
      {problem !== null && <Problem>{problem}</Problem>}
      <Confirm
        isBusy={isBusy}
        label={isBusy ? 'Deleting…' : 'Delete your data here'}
        onConfirm={() => void confirm()}
        title="Delete your data here?"
        yes="Delete everything"
      >
        <p>You can’t undo this. It deletes:</p>
        <ul>
          <li>all your sites and their versions, from this service</li>
          <li>your addresses, which others can get after 30 days, and your domains</li>
          <li>your uploads, and your sign-ins in all browsers</li>
          {records && <li>your sites and settings in your account</li>}
        </ul>
        {!records && <p>Your sites stay in your account.</p>}
      </Confirm>
    </div>
  )
}
