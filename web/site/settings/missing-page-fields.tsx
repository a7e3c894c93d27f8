import { useId } from 'react'
import { Choice } from '#web/parts/choice.tsx'
import { TextField } from '#web/parts/field.tsx'
import { problemOfField } from '#web/parts/field-problem.ts'
import type { SettingsDraft, WhenMissing } from './settings-draft.ts'
import styles from './settings-form.module.css'

interface MissingPageFieldsProps {
  readonly draft: SettingsDraft
  readonly problem: string | null
  readonly onChange: (what: Partial<SettingsDraft>) => void
}

const choices: readonly (readonly [WhenMissing, label: string])[] = [
  ['notFound', 'Show 404.html (default)'],
  ['custom404', 'Show another page'],
  ['spaMode', 'Single-page app: always show index.html'],
  ['directoryListing', 'List files in folders without an index'],
]

const pages = {
  custom404: { label: 'Error page', hint: 'Its path, such as errors/404.html.' },
  spaMode: { label: 'Page to show', hint: 'Its path, such as index.html.' },
} as const

/** What visitors get when a page is missing. */
export function MissingPageFields({ draft, problem, onChange }: MissingPageFieldsProps) {
  const name = useId()
  const chosen = draft.whenMissing
  return (
    <fieldset className={styles['group']}>
      <legend>When a page is missing</legend>
      {choices.map(([whenMissing, label]) => (
        <Choice
          checked={chosen === whenMissing}
          key={whenMissing}
          label={label}
          name={name}
          onChange={() => onChange({ whenMissing })}
          type="radio"
        />
      ))}
      {(chosen === 'custom404' || chosen === 'spaMode') && (
        <TextField
          {...pages[chosen]}
          autoComplete="off"
          onChange={(event) => onChange({ [chosen]: event.target.value })}
          problem={problemOfField(problem, chosen)}
          value={draft[chosen]}
        />
      )}
    </fieldset>
  )
}
