import { useId } from 'react'
import { TextField } from '#web/parts/controls/field.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { words } from '#web/words/words.ts'

interface FileChoiceProps {
  readonly label: string
  readonly value: string
  /** Files of the live version; null: not known. */
  readonly paths: readonly string[] | null
  readonly problem: string | null
  readonly onChange: (path: string) => void
}

/** More than this nobody scrolls through: one types, and the browser suggests. */
const choicesMax = 200

/** A page of the live version. */
export function FileChoice({ label, value, paths, problem, onChange }: FileChoiceProps) {
  const listId = useId()
  const pages = paths?.filter((path) => /\.html?$/i.test(path)) ?? []
  const { missing } = words.settings
  if (paths === null || pages.length > choicesMax) {
    return (
      <>
        <TextField
          autoComplete="off"
          label={label}
          list={listId}
          onChange={({ target }) => onChange(target.value.trim().replace(/^\/+/, ''))}
          problem={problem}
          value={value}
        />
        <datalist id={listId}>
          {pages.map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
      </>
    )
  }
  const isGone = value !== '' && !pages.includes(value)
  return (
    <Select
      choices={[...(isGone ? [{ value, name: missing.notThere(value) }] : []), ...pages]}
      label={label}
      none={missing.choose}
      onChange={({ target }) => onChange(target.value)}
      problem={problem}
      value={value}
    />
  )
}
