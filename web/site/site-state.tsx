import type { Site } from '#api/contract/client.ts'
import { Status } from '#web/parts/status.tsx'
import { words } from '#web/words/words.ts'

/** What became of the newest version of a site. */
export function SiteState({ site: { problems, state } }: { site: Site }) {
  const texts = words.site.states
  switch (state) {
    case 'live':
      return problems.length === 0 ? (
        <Status state="live">{texts.live}</Status>
      ) : (
        <Status state="warn">{texts.problems}</Status>
      )
    case 'unread':
      return <Status state="waiting">{texts.unread}</Status>
    case 'refused':
      return <Status state="broken">{texts.refused}</Status>
    case 'offline':
      return <Status state="broken">{texts.offline}</Status>
  }
}
