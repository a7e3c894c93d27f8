import type { Site } from '#api/contract/client.ts'
import { Notice, type Tone } from '#web/parts/notice.tsx'
import { Problems } from '#web/site/problems.tsx'
import { words } from '#web/words/words.ts'

/** What its owner should know or mend about the newest version; nothing where all is well. */
export function StateNotice({ site: { cid, problems, state } }: { site: Site }) {
  const texts = words.site.notices
  if (state === 'live' && problems.length === 0) return null
  const { title, text } = texts[state]
  const isOlderLive = cid !== null && (state === 'refused' || state === 'unread')
  return (
    <Notice title={title} tone={tones[state]}>
      <p>{text}</p>
      {isOlderLive && <p>{texts.olderIsLive}</p>}
      <Problems problems={problems} />
    </Notice>
  )
}

const tones: Readonly<Record<Site['state'], Tone>> = {
  live: 'warn',
  unread: 'warn',
  refused: 'danger',
  offline: 'danger',
}
