import { useState } from 'react'
import styles from './account-page.module.css'
import { leaveService } from './api.ts'
import { Choice } from './choice.tsx'
import { Confirm } from './confirm.tsx'
import { Problem } from './problem.tsx'
import { useAction } from './use-action.ts'

/** Has everything removed, after it was said what that is. */
export function LeaveForm() {
  const [records, setRecords] = useState(false)
  const { isBusy, problem, run } = useAction()
  const leave = async () => {
    if (await run(() => leaveService(records))) location.assign('/?news=left')
  }
  return (
    <div className={styles['form']}>
      <p>
        Your sites go offline, your names become free for others after 30 days, and nothing about
        you is kept here but a fingerprint of your account’s id, so that only signing in brings you
        back. Your account itself stays with your own server.
      </p>
      <Choice
        checked={records}
        label="Also delete my sites from my repository, so that no other service can show them"
        onChange={(event) => setRecords(event.target.checked)}
        type="checkbox"
      />
      {problem !== null && <Problem>{problem}</Problem>}
      <Confirm
        isBusy={isBusy}
        label={isBusy ? 'Leaving…' : 'Leave this service'}
        onConfirm={() => void leave()}
        title="Leave this service?"
        yes="Remove everything"
      >
        <p>This is removed, at once and for good:</p>
        <ul>
          <li>all your sites and their versions, from this service</li>
          <li>your names and domains; others may have them</li>
          <li>your uploads, and your sign-ins in all browsers</li>
          {records && <li>the records of your sites and settings in your repository</li>}
        </ul>
        {!records && <p>The records of your sites stay in your repository.</p>}
      </Confirm>
    </div>
  )
}
