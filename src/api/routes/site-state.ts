import { takenDownSentence } from '#api/contract/messages.ts'
import type { SiteRow } from '#api/contract/rows.ts'
import type { Takedown } from '#store/moderation/takedowns.ts'
import type { Site } from '#store/sites/sites.ts'

/** For the owner: that a site, or its account, is taken down. */
export const takedownProblems = ({ name }: Site, takedowns: readonly Takedown[]): string[] =>
  takedowns.filter(({ site }) => site === '' || site === name).map(takenDownSentence)

export function stateOf(
  { live, refused }: Site,
  { isTakenDown, isUnread }: { readonly isTakenDown: boolean; readonly isUnread: boolean },
): SiteRow['state'] {
  if (isTakenDown) return 'offline'
  if (isUnread) return 'unread'
  if (refused !== null) return 'refused'
  return live === null ? 'unread' : 'live'
}
