import { Button } from '#web/parts/button.tsx'
import { TextField } from '#web/parts/field.tsx'
import { words } from '#web/words/words.ts'
import styles from './sign-in-form.module.css'
import { useSignIn } from './use-sign-in.ts'

/** `notice` is what went wrong before, shown until the next try. */
export function SignInForm({ notice }: { notice: string | null }) {
  const { field, handle, isLeaving, problem, returnTo, setHandle, submit } = useSignIn(notice)
  const { signIn } = words.start
  return (
    <form
      action="/api/auth/login"
      className={styles['form']}
      method="get"
      onSubmit={(event) => void submit(event)}
    >
      <TextField
        autoComplete="username"
        hint={signIn.hint}
        inputMode="url"
        label={signIn.label}
        name="handle"
        onChange={(event) => setHandle(event.target.value)}
        problem={problem}
        ref={field}
        required
        value={handle}
      />
      {returnTo !== null && <input name="return_to" type="hidden" value={returnTo} />}
      <Button isBusy={isLeaving} type="submit">
        {isLeaving ? signIn.leaving : signIn.submit}
      </Button>
    </form>
  )
}
