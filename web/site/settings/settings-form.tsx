import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { Choice } from '#web/parts/choice.tsx'
import { TextField } from '#web/parts/field.tsx'
import { problemOfField } from '#web/parts/field-problem.ts'
import { News } from '#web/parts/news.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { Select } from '#web/parts/select.tsx'
import { readSettings, writeSettings } from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import { MissingPageFields } from './missing-page-fields.tsx'
import { draftOf, type SettingsDraft, settingsOf } from './settings-draft.ts'
import styles from './settings-form.module.css'

interface SettingsFormProps {
  readonly rkey: string
  /** As it is in the repository. */
  readonly record: Readonly<Record<string, unknown>>
}

const fields = ['indexFiles', 'spaMode', 'custom404'] as const

/** How a site is served. It counts when it is saved. */
export function SettingsForm({ rkey, record }: SettingsFormProps) {
  const [draft, setDraft] = useState(() => draftOf(record))
  const [isSaved, setSaved] = useState(false)
  const { isBusy, problem, run, setProblem } = useAction()
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem === null) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problem])
  const change = (what: Partial<SettingsDraft>) => {
    setSaved(false)
    setDraft((before) => ({ ...before, ...what }))
  }
  // Onto what is there now: another program may have written what this form does not show.
  const saveNow = async () => await writeSettings(rkey, settingsOf(draft, await readSettings(rkey)))
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSaved(false)
    const { whenMissing } = draft
    const settings = settingsOf(draft, record)
    const lacksPage = whenMissing === 'spaMode' || whenMissing === 'custom404'
    if (lacksPage && settings[whenMissing] === '') setProblem(`${whenMissing}: enter a path first.`)
    else setSaved(await run(saveNow))
  }
  return (
    <form
      aria-label={`Settings of ${rkey}`}
      className={styles['form']}
      noValidate
      onSubmit={(event) => void save(event)}
      ref={form}
    >
      <Choice
        checked={draft.cleanUrls}
        label="Addresses without .html: /about shows about.html"
        onChange={(event) => change({ cleanUrls: event.target.checked })}
        type="checkbox"
      />
      {draft.cleanUrls && (
        <Select
          choices={['always', 'never']}
          label="Slash at the end of addresses"
          none="for folders only"
          onChange={({ target: { value } }) =>
            change({ trailingSlash: value === 'always' || value === 'never' ? value : '' })
          }
          value={draft.trailingSlash}
        />
      )}
      <TextField
        autoComplete="off"
        hint="File names, separated by commas. A folder shows the first one that exists."
        label="Index files"
        onChange={(event) => change({ indexFiles: event.target.value })}
        problem={problemOfField(problem, 'indexFiles')}
        value={draft.indexFiles}
      />
      <MissingPageFields draft={draft} onChange={change} problem={problem} />
      <Button
        aria-label={`Save settings of ${rkey}`}
        isBusy={isBusy}
        look="secondary"
        type="submit"
      >
        {isBusy ? 'Saving…' : 'Save'}
      </Button>
      {problem !== null && fields.every((field) => problemOfField(problem, field) === null) && (
        <Problem>{problem}</Problem>
      )}
      {isSaved && <News>Saved. Live for visitors now.</News>}
    </form>
  )
}
