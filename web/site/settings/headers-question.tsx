import { Plus, X } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { words } from '#web/words/words.ts'
import type { QuestionOfDraftProps } from './address-question.tsx'
import { Question } from './question.tsx'
import type { HeaderDraft } from './settings-draft.ts'
import styles from './settings-page.module.css'

/** Of the record (`#site/record/settings.ts`). */
const headersMax = 50

/** Headers that are sent along, by path. */
export function HeadersQuestion({ draft, onChange, problemOf }: QuestionOfDraftProps) {
  const { headers: text } = words.settings
  const { headers } = draft
  const rows = useRef<HTMLDivElement>(null)
  const add = () => {
    const id = Math.max(-1, ...headers.map((row) => row.id)) + 1
    onChange({ headers: [...headers, { id, path: '', name: '', value: '' }] })
  }
  const change = (id: number, what: Partial<HeaderDraft>) =>
    onChange({ headers: headers.map((row) => (row.id === id ? { ...row, ...what } : row)) })
  const remove = (id: number) => {
    onChange({ headers: headers.filter((row) => row.id !== id) })
    // The button that was pressed goes with its row.
    rows.current?.focus()
  }
  return (
    <Question title={text.title}>
      <p className={styles['hint']}>{text.hint}</p>
      <div className={styles['rows']} ref={rows} tabIndex={-1}>
        {headers.length === 0 && <p className={styles['hint']}>{text.none}</p>}
        {headers.map((row) => (
          <HeaderRow
            key={row.id}
            onChange={(what) => change(row.id, what)}
            onRemove={() => remove(row.id)}
            problemOf={(field) => problemOf(`headers.${row.id}.${field}`)}
            row={row}
          />
        ))}
      </div>
      {headers.length < headersMax ? (
        <div>
          <Button icon={Plus} look="secondary" onClick={add}>
            {text.add}
          </Button>
        </div>
      ) : (
        <p className={styles['hint']}>{text.all(headersMax)}</p>
      )}
    </Question>
  )
}

interface HeaderRowProps {
  readonly row: HeaderDraft
  readonly onChange: (what: Partial<HeaderDraft>) => void
  readonly onRemove: () => void
  readonly problemOf: (field: 'path' | 'name' | 'value') => string | null
}

function HeaderRow({ row, onChange, onRemove, problemOf }: HeaderRowProps) {
  const { headers: text } = words.settings
  return (
    <div className={styles['header']}>
      <TextField
        autoComplete="off"
        label={text.path}
        onChange={({ target }) => onChange({ path: target.value })}
        placeholder={text.everywhere}
        problem={problemOf('path')}
        value={row.path}
      />
      <TextField
        autoComplete="off"
        label={text.name}
        onChange={({ target }) => onChange({ name: target.value })}
        problem={problemOf('name')}
        value={row.name}
      />
      <TextField
        autoComplete="off"
        label={text.value}
        onChange={({ target }) => onChange({ value: target.value })}
        problem={problemOf('value')}
        value={row.value}
      />
      <span className={styles['remove']}>
        <IconButton icon={X} label={text.remove(row.name || text.unnamed)} onClick={onRemove} />
      </span>
    </div>
  )
}
