import { useId } from 'react'
import { Choice } from './choice.tsx'
import { problemOfField } from './field-problem.ts'
import type { SettingsDraft, WhenMissing } from './settings-draft.ts'
import styles from './settings-form.module.css'
import { TextField } from './text-field.tsx'

interface MissingPageFieldsProps {
  readonly draft: SettingsDraft
  readonly problem: string | null
  readonly onChange: (what: Partial<SettingsDraft>) => void
}

const choices: readonly (readonly [WhenMissing, label: string])[] = [
  ['notFound', 'Visitors are told that it is not found, by your 404.html if there is one'],
  ['custom404', 'Visitors are told that it is not found, by a page of another name'],
  ['spaMode', 'Visitors get one and the same page, as a single-page app needs it'],
  ['directoryListing', 'Folders without an index file show a list of their files'],
]

const pages = {
  custom404: { label: 'Page for what is not found', hint: 'Its path in the site.' },
  spaMode: { label: 'Page of the app', hint: 'Its path in the site, such as index.html.' },
} as const

/** What visitors get where there is no page, and of which file. */
export function MissingPageFields({ draft, problem, onChange }: MissingPageFieldsProps) {
  const name = useId()
  const chosen = draft.whenMissing
  return (
    <fieldset className={styles['group']}>
      <legend>Where there is no page</legend>
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
