import { useId } from 'react'
import { Choice } from '#web/parts/controls/choice.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { words } from '#web/words/words.ts'
import { Question } from './question.tsx'
import { addressSamples, type SampledSite } from './sample-effects.ts'
import type { SettingsDraft, TrailingSlash } from './settings-draft.ts'

export interface QuestionOfDraftProps {
  readonly draft: SettingsDraft
  readonly site: SampledSite
  readonly onChange: (what: Partial<SettingsDraft>) => void
  /** What the service, or the form, has against a field; null: nothing. */
  readonly problemOf: (field: string) => string | null
}

const slashes: readonly TrailingSlash[] = ['auto', 'always', 'never']

export function AddressQuestion({ draft, site, onChange }: QuestionOfDraftProps) {
  const { addresses } = words.settings
  const group = useId()
  return (
    <Question samples={addressSamples(draft, site)} title={addresses.title}>
      <Choice
        checked={!draft.cleanUrls}
        label={addresses.asFiles}
        name={group}
        onChange={() => onChange({ cleanUrls: false })}
        type="radio"
      />
      <Choice
        checked={draft.cleanUrls}
        label={addresses.clean}
        name={group}
        onChange={() => onChange({ cleanUrls: true })}
        type="radio"
      />
      {draft.cleanUrls && (
        <Select
          choices={slashes.map((value) => ({ value, name: addresses.slashes[value] }))}
          label={addresses.slash}
          onChange={({ target }) =>
            onChange({ trailingSlash: slashes.find((each) => each === target.value) ?? 'auto' })
          }
          value={draft.trailingSlash}
        />
      )}
    </Question>
  )
}
