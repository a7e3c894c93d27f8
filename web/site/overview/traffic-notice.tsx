import type { Site } from '#api/contract/client.ts'
import { formatBytes } from '#web/parts/bytes.ts'
import { Notice } from '#web/parts/notice.tsx'
import { words } from '#web/words/words.ts'
import '#web/words/own-traffic.ts'

/** What its visitors took today, where that is near a limit or beyond; nothing where it is not. */
export function TrafficNotice({ site: { today } }: { site: Site }) {
  const { bytes, refused, warning } = today
  const texts = words.traffic
  if (warning === null && refused === 0) return null
  return (
    <Notice
      title={warning === null ? texts.crowded : texts.titles[warning]}
      tone={warning === 100 ? 'danger' : 'warn'}
    >
      {warning !== null && bytes.max !== null && (
        <p>{texts.used(formatBytes(bytes.used), formatBytes(bytes.max))}</p>
      )}
      {refused > 0 && <p>{texts.refused(refused)}</p>}
      {warning !== null && <p>{warning === 100 ? texts.none : texts.left}</p>}
    </Notice>
  )
}
