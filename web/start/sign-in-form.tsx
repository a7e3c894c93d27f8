import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { TextField } from '#web/parts/field.tsx'
import { ApiError, startSignIn } from '#web/server/api.ts'
import styles from './sign-in-form.module.css'

/** `notice` is what went wrong before, shown until the next try. */
export function SignInForm({ notice }: { notice: string | null }) {
  const [handle, setHandle] = useState(
    () => new URLSearchParams(location.search).get('handle') ?? '',
  )
  const [problem, setProblem] = useState(notice)
  const field = useRef<HTMLInputElement>(null)
  const [isLeaving, setLeaving] = useState(false)

  useEffect(() => {
    // The back button brings the page as it was left, with its button still waiting.
    const wake = () => setLeaving(false)
    addEventListener('pageshow', wake)
    return () => removeEventListener('pageshow', wake)
  }, [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setLeaving(true)
    setProblem(null)
    try {
      location.assign(await startSignIn(handle.trim().replace(/^@/, '')))
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'Signing in did not work. Try again.')
      setLeaving(false)
      field.current?.focus()
    }
  }

  return (
    <form
      action="/api/auth/login"
      className={styles['form']}
      method="get"
      onSubmit={(event) => void submit(event)}
    >
      <TextField
        autoComplete="username"
        hint="Your Bluesky or AT Protocol handle, like alice.bsky.social"
        inputMode="url"
        label="Your handle"
        name="handle"
        onChange={(event) => setHandle(event.target.value)}
        problem={problem}
        ref={field}
        required
        value={handle}
      />
      <Button isBusy={isLeaving} type="submit">
        {isLeaving ? 'Asking your server…' : 'Sign in'}
      </Button>
    </form>
  )
}
