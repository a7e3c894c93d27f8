import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { words } from '#web/words/words.ts'
import styles from './sign-in-form.module.css'
import type { SignIn } from './use-sign-in.ts'

interface SignInFormProps {
  readonly signIn: SignIn
  /** Something is chosen, which is published once the person is back. */
  readonly publishes: boolean
}

export function SignInForm({ signIn, publishes }: SignInFormProps) {
  const { field, handle, isLeaving, problem, returnTo, setHandle, submit } = signIn
  const said = words.start.signIn
  return (
    <form action="/api/auth/login" className={styles['form']} method="get" onSubmit={submit}>
      <TextField
        autoComplete="username"
        hint={said.hint}
        inputMode="url"
        label={said.label}
        name="handle"
        onChange={(event) => setHandle(event.target.value)}
        problem={problem}
        ref={field}
        required
        value={handle}
      />
      {returnTo !== null && <input name="return_to" type="hidden" value={returnTo} />}
      <Button isBusy={isLeaving} type="submit">
        {isLeaving ? said.leaving : publishes ? said.submitAndPublish : said.submit}
      </Button>
    </form>
  )
}
