import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { TextField } from '#web/parts/field.tsx'
import { problemOfField } from '#web/parts/field-problem.ts'
import { useAction } from '#web/server/use-action.ts'
import styles from './name-form.module.css'

interface NameFormProps {
  /** What the interface calls it. */
  readonly field: 'handle' | 'domain'
  readonly label: string
  readonly hint: string
  /** On its button. */
  readonly submit: string
  /** It appeared because somebody asked for it. */
  readonly takesFocus?: boolean
  /** Throws ApiError with what is to be told. */
  readonly onSubmit: (name: string) => Promise<unknown>
}

/** One name and a button. */
export function NameForm(props: NameFormProps) {
  const { field, label, hint, submit, takesFocus = false, onSubmit } = props
  const [name, setName] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const { isBusy, problem, run, setProblem } = useAction()
  useEffect(() => {
    if (takesFocus) input.current?.focus()
  }, [takesFocus])
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const typed = name.trim()
    if (typed === '') setProblem('Enter a name first.')
    else if (await run(() => onSubmit(typed))) return setName('')
    input.current?.focus()
  }
  return (
    <form className={styles['form']} noValidate onSubmit={(event) => void send(event)}>
      <TextField
        autoComplete="off"
        hint={hint}
        label={label}
        onChange={(event) => setName(event.target.value)}
        problem={problemOfField(problem, field) ?? problem}
        ref={input}
        value={name}
      />
      <Button isBusy={isBusy} type="submit">
        {submit}
      </Button>
    </form>
  )
}
