import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { versionRecordsMax } from '#site/limits.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { ApiError, readSettings, type StoredSettings, writeSettings } from '#web/server/api.ts'
import { settingsQuery } from '#web/server/queries.ts'
import { useLeaveGuard } from '#web/shell/routing/use-leave-guard.tsx'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { AddressQuestion } from './address-question.tsx'
import { type DraftProblems, problemOfAnswer, problemsOfDraft } from './draft-problems.ts'
import { HeadersQuestion } from './headers-question.tsx'
import { MissingQuestion } from './missing-question.tsx'
import { Question } from './question.tsx'
import { indexSample, type SampledSite } from './sample-effects.ts'
import { draftOf, isSameDraft, type SettingsDraft, settingsOf } from './settings-draft.ts'
import styles from './settings-page.module.css'

interface SettingsFormProps {
  readonly rkey: string
  readonly stored: StoredSettings
  readonly site: SampledSite
}

const none: DraftProblems = {}

/** How a site is served. It counts when it is saved. */
export function SettingsForm({ rkey, stored, site }: SettingsFormProps) {
  const { settings: text } = words
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(stored.record))
  const [saved, setSaved] = useState(draft)
  /** What the person has seen, or has been told of: written over nothing else. */
  const base = useRef(stored)
  const [problems, setProblems] = useState(none)
  const form = useRef<HTMLFormElement>(null)
  const isDirty = !isSameDraft(draft, saved)
  const question = useLeaveGuard(isDirty, text.leaving)
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (wanted: SettingsDraft) => {
      const record = settingsOf(wanted, base.current.record)
      try {
        base.current = { record, tag: await writeSettings(rkey, record, base.current.tag) }
      } catch (error) {
        if (!isConflict(error)) throw error
        // Told of it, the person may save again: over that, and no later one.
        base.current = await readSettings(rkey)
        throw new ApiError(409, text.changedElsewhere, { cause: error })
      }
    },
    onSuccess: (_, wanted) => {
      setSaved(wanted)
      toast(text.saved)
      client.setQueryData(settingsQuery(rkey).queryKey, base.current)
    },
    onError: (error, wanted) => setProblems(saidAtField(error, wanted) ?? none),
  })
  useEffect(() => {
    if (problems === none) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])
  const change = (what: Partial<SettingsDraft>) => {
    setProblems(none)
    setDraft((before) => ({ ...before, ...what }))
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    const found = problemsOfDraft(draft)
    setProblems(Object.keys(found).length === 0 ? none : found)
    if (Object.keys(found).length === 0) mutate(draft)
  }
  const isSaid = error !== null && saidAtField(error, draft) !== null
  const shared = {
    draft,
    site,
    onChange: change,
    problemOf: (field: string) => problems[field] ?? null,
  }
  return (
    <form
      aria-label={text.of(rkey)}
      className={styles['form']}
      noValidate
      onSubmit={save}
      ref={form}
    >
      <AddressQuestion {...shared} />
      <Question samples={indexSample(draft, site)} title={text.index.title}>
        <TextField
          autoComplete="off"
          hint={text.index.hint}
          label={text.index.field}
          onChange={({ target }) => change({ indexFiles: target.value })}
          problem={shared.problemOf('indexFiles')}
          value={draft.indexFiles}
        />
      </Question>
      <MissingQuestion {...shared} />
      <HeadersQuestion {...shared} />
      <Question title={text.history.title}>
        <TextField
          autoComplete="off"
          hint={text.history.hint(versionRecordsMax)}
          inputMode="numeric"
          label={text.history.field}
          onChange={({ target }) => change({ keep: target.value })}
          problem={shared.problemOf('keep')}
          value={draft.keep}
        />
      </Question>
      {error !== null && !isSaid && <Problem>{error.message}</Problem>}
      <div className={styles['save']} data-dirty={isDirty || undefined}>
        <p role="status">{isDirty && text.unsaved}</p>
        {isDirty && (
          <Button look="ghost" onClick={() => change(saved)}>
            {text.discard}
          </Button>
        )}
        <Button isBusy={isPending} look={isDirty ? 'primary' : 'secondary'} type="submit">
          {isPending ? text.saving : text.save}
        </Button>
      </div>
      {question}
    </form>
  )
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409

const saidAtField = (error: Error, draft: SettingsDraft): DraftProblems | null =>
  error instanceof ApiError ? problemOfAnswer(error, draft) : null
