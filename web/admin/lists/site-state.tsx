import type { AnswerTo } from '#api/contract/client.ts'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.siteState

type Site = AnswerTo<'GET /api/admin/sites'>['sites'][number]

/** Whether visitors get a site, and whether reading it was given up. */
export const SiteState = ({ site: { state, parked } }: { site: Pick<Site, 'state' | 'parked'> }) =>
  parked ? (
    <StatusWord tone="bad">{said.givenUp}</StatusWord>
  ) : (
    <StatusWord tone={tones[state]}>{words[state]}</StatusWord>
  )

const tones = { live: 'good', refused: 'bad', hidden: 'rest', offline: 'bad' } as const
const words = { live: 'Live', refused: 'Refused', hidden: 'Hidden', offline: 'Offline' } as const
