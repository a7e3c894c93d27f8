import { describeRefusedField, isFieldName, isFieldValue } from '#http/header-fields.ts'
import { versionRecordsMax } from '#site/limits.ts'
import type { ApiError } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import { filledHeaders, type SettingsDraft } from './settings-draft.ts'

/** Sentences by field; a header's begin with its row, as in `headers.3.name`. */
export type DraftProblems = Readonly<Record<string, string>>

/** What can be said against a draft before it is sent. */
export function problemsOfDraft(draft: SettingsDraft): DraftProblems {
  const problems: Record<string, string> = {}
  const { headers: text, history, missing } = words.settings
  const { whenMissing, keep } = draft
  const isPage = whenMissing === 'custom404' || whenMissing === 'spaMode'
  if (isPage && draft[whenMissing] === '') problems[whenMissing] = missing.chooseFirst
  if (!/^\d+$/.test(keep.trim()) || Number(keep) > versionRecordsMax) {
    problems['keep'] = history.bad(versionRecordsMax)
  }
  for (const { id, name, value } of filledHeaders(draft)) {
    const named = nameProblem(name.trim())
    if (named !== null) problems[`headers.${id}.name`] = named
    if (!isFieldValue(value.trim())) problems[`headers.${id}.value`] = text.valueBad
  }
  return problems
}

/** The service's sentence at the field of the draft that it is about (`headers.2.name`); null: it is about none. */
export function problemOfAnswer(
  { field: about, message }: Pick<ApiError, 'field' | 'message'>,
  draft: SettingsDraft,
): DraftProblems | null {
  const [field = '', at, part = 'name'] = about?.split('.') ?? []
  if (!fields.has(field)) return null
  if (field !== 'headers') return { [field === 'history' ? 'keep' : field]: message }
  const row = filledHeaders(draft)[Number(at)]
  return row === undefined ? null : { [`headers.${row.id}.${part}`]: message }
}

const fields = new Set(['indexFiles', 'spaMode', 'custom404', 'history', 'headers'])

function nameProblem(name: string): string | null {
  const { headers: text } = words.settings
  if (name === '') return text.nameMissing
  if (!isFieldName(name)) return text.nameBad
  return describeRefusedField(name.toLowerCase()) === null ? null : text.nameRefused
}
