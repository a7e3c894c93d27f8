import type { AnswerTo } from '#api/contract/client.ts'
import { StatusWord } from '#web/admin/parts/status-word.tsx'

type Site = AnswerTo<'GET /api/admin/sites'>['sites'][number]

/** Whether visitors get a site, and whether reading it was given up. */
export const SiteState = ({ site: { state, parked } }: { site: Pick<Site, 'state' | 'parked'> }) =>
  parked ? (
    <StatusWord tone="bad">Given up</StatusWord>
  ) : (
    <StatusWord tone={tones[state]}>{words[state]}</StatusWord>
  )

const tones = { live: 'good', refused: 'bad', hidden: 'rest', offline: 'bad' } as const
const words = { live: 'Live', refused: 'Refused', hidden: 'Hidden', offline: 'Offline' } as const
