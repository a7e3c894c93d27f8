import { useId } from 'react'
import { Choice } from '#web/parts/controls/choice.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { words } from '#web/words/words.ts'
import type { QuestionOfDraftProps } from './address-question.tsx'
import { FileChoice } from './file-choice.tsx'
import { Question } from './question.tsx'
import { missingSample } from './sample-effects.ts'
import type { WhenMissing } from './settings-draft.ts'

const choices: readonly WhenMissing[] = ['notFound', 'custom404', 'spaMode', 'directoryListing']

/** What visitors get when a page is missing. */
export function MissingQuestion({ draft, site, onChange, problemOf }: QuestionOfDraftProps) {
  const { missing } = words.settings
  const group = useId()
  const chosen = draft.whenMissing
  const hints = {
    notFound: site.paths?.includes('404.html') === false ? missing.ours : undefined,
    custom404: missing.custom404Hint,
    spaMode: missing.spaModeHint,
    directoryListing: missing.directoryListingHint,
  }
  const page = chosen === 'custom404' || chosen === 'spaMode' ? chosen : null
  const isGone = page !== null && draft[page] !== '' && site.paths?.includes(draft[page]) === false
  return (
    <Question samples={missingSample(draft, site)} title={missing.title}>
      {choices.map((whenMissing) => (
        <Choice
          checked={chosen === whenMissing}
          hint={hints[whenMissing]}
          key={whenMissing}
          label={missing[whenMissing]}
          name={group}
          onChange={() => onChange({ whenMissing })}
          type="radio"
        />
      ))}
      {page !== null && (
        <FileChoice
          label={missing.page}
          onChange={(path) => onChange({ [page]: path })}
          paths={site.paths}
          problem={problemOf(page)}
          value={draft[page]}
        />
      )}
      {page !== null && isGone && (
        <Notice tone="warn">
          <p>{missing.notThereWarning(draft[page])}</p>
        </Notice>
      )}
    </Question>
  )
}
