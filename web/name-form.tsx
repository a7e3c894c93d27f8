import { type FormEvent, useRef, useState } from 'react'
import { Button } from './button.tsx'
import styles from './name-form.module.css'
import { TextField } from './text-field.tsx'
import { useAction } from './use-action.ts'

interface NameFormProps {
  readonly label: string
  readonly hint: string
  /** On its button. */
  readonly submit: string
  /** Throws ApiError with what is to be told. */
  readonly onSubmit: (name: string) => Promise<unknown>
}

/** One name and a button. */
export function NameForm({ label, hint, submit, onSubmit }: NameFormProps) {
  const [name, setName] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { isBusy, problem, run, setProblem } = useAction()
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const typed = name.trim()
    if (typed === '') setProblem('Enter a name first.')
    else if (await run(() => onSubmit(typed))) return setName('')
    field.current?.focus()
  }
  return (
    <form className={styles['form']} noValidate onSubmit={(event) => void send(event)}>
      <TextField
        autoComplete="off"
        hint={hint}
        label={label}
        onChange={(event) => setName(event.target.value)}
        problem={problem}
        ref={field}
        value={name}
      />
      <Button isBusy={isBusy} type="submit">
        {submit}
      </Button>
    </form>
  )
}
