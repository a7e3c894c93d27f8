import { type FormEvent, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { problemOfField } from '#web/parts/field-problem.ts'
import { Problem } from '#web/parts/problem.tsx'
import { Select } from '#web/parts/select.tsx'
import { useAction } from '#web/server/use-action.ts'
import styles from './choice-form.module.css'

interface ChoiceFormProps {
  readonly label: string
  /** What no choice means. */
  readonly none: string
  readonly choices: readonly string[]
  /** As it is; empty: none. */
  readonly value: string
  /** What to know before this choice is saved; null: nothing. */
  readonly warningOf?: (choice: string) => string | null
  /** `null`: none. */
  readonly onSave: (choice: string | null) => Promise<unknown>
}

/** A choice that counts when it is saved, not while somebody moves through it with the arrow keys. */
export function ChoiceForm(props: ChoiceFormProps) {
  const { label, none, choices, value, warningOf, onSave } = props
  const [chosen, setChosen] = useState(value)
  const [saved, setSaved] = useState(value)
  // It was changed from elsewhere, as when its site was taken away.
  if (saved !== value) {
    setSaved(value)
    setChosen(value)
  }
  const { isBusy, problem, run } = useAction()
  const warning = chosen === value ? null : (warningOf?.(chosen) ?? null)
  const save = (event: FormEvent) => {
    event.preventDefault()
    void run(() => onSave(chosen === '' ? null : chosen))
  }
  return (
    <form className={styles['form']} onSubmit={save}>
      <Select
        choices={choices}
        label={label}
        none={none}
        onChange={(event) => setChosen(event.target.value)}
        value={chosen}
      />
      <Button aria-label={`Save: ${label}`} isBusy={isBusy} look="secondary" type="submit">
        Save
      </Button>
      {warning !== null && <Problem>{warning}</Problem>}
      {problem !== null && <Problem>{problemOfField(problem, 'domain') ?? problem}</Problem>}
    </form>
  )
}
