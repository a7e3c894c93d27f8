import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { ApiError } from '#web/server/api.ts'
import { instance } from '#web/server/instance.ts'
import { areaWords } from '#web/words/admin/area.ts'
import { signIn } from './admin-session.ts'
import styles from './sign-in-page.module.css'

const said = areaWords.signInPage

/** Name and password, at whatever address of these pages; that page follows. */
export function SignInPage({ notice }: { notice: string | null }) {
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const password = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = `Sign in · Administration · ${instance.name}`
  }, [])
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      await signIn(String(fields.get('username')), String(fields.get('password')))
    } catch (error) {
      setProblem(sentenceOf(error))
      setBusy(false)
      password.current?.select()
    }
  }
  return (
    <main className={styles['page']}>
      <form className={styles['card']} onSubmit={(event) => void submit(event)}>
        <p className={styles['instance']}>{instance.name}</p>
        <h1>{said.title}</h1>
        {notice !== null && problem === null && (
          <p className={styles['notice']} role="status">
            {notice}
          </p>
        )}
        {problem !== null && <Problem>{problem}</Problem>}
        <TextField autoComplete="username" autoFocus label={said.name} name="username" required />
        <TextField
          autoComplete="current-password"
          label={said.password}
          name="password"
          ref={password}
          required
          type="password"
        />
        <Button isBusy={isBusy} type="submit">
          {isBusy ? said.busy : 'Sign in'}
        </Button>
        <p className={styles['hint']}>
          {said.added} <code>{said.command}</code>
        </p>
      </form>
    </main>
  )
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return said.failed
  return error.status === 401 ? said.wrong : error.message
}
