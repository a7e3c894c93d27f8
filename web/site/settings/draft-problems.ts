import { describeRefusedField, isFieldName, isFieldValue } from '#http/header-fields.ts'
import { versionRecordsMax } from '#site/limits.ts'
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

/** The service's sentence (`headers.2.name: expected …`) at the field that it is about; null: it is about none. */
export function problemOfAnswer(message: string, draft: SettingsDraft): DraftProblems | null {
  const [, field, at, part, first = '', rest = ''] = answered.exec(message) ?? []
  if (field === undefined) return null
  const sentence = first.toUpperCase() + rest
  if (field !== 'headers') return { [field === 'history' ? 'keep' : field]: sentence }
  const row = filledHeaders(draft)[Number(at)]
  return row === undefined ? null : { [`headers.${row.id}.${part ?? 'name'}`]: sentence }
}

const answered =
  /^(indexFiles|spaMode|custom404|history|headers)(?:\.(\w+))?(?:\.(\w+))?: (.)(.*)$/su

function nameProblem(name: string): string | null {
  const { headers: text } = words.settings
  if (name === '') return text.nameMissing
  if (!isFieldName(name)) return text.nameBad
  return describeRefusedField(name.toLowerCase()) === null ? null : text.nameRefused
}
