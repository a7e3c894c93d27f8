import { Button } from '#web/parts/controls/button.tsx'
import { words } from '#web/words/words.ts'
import styles from './account-help.module.css'
import type { SignIn } from './use-sign-in.ts'

/** A server that lets everybody create an account on the page where one signs in. */
const openServer = 'https://bsky.social'

/** For people without an account: where to get one, and that they come back. */
export function AccountHelp({ signIn }: { signIn: SignIn }) {
  const { account } = words.start
  return (
    <details className={styles['help']}>
      <summary>{account.title}</summary>
      <div className={styles['text']}>
        <p>{account.text}</p>
        <Button
          isBusy={signIn.isLeaving}
          look="secondary"
          onClick={() => void signIn.begin(openServer)}
        >
          {account.get}
        </Button>
        <p>{account.back}</p>
        <p>{account.own}</p>
      </div>
    </details>
  )
}
