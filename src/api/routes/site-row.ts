import type { ApiContext } from '#api/context.ts'
import { noDiskSpace } from '#site/limits.ts'
import { siteUri } from '#site/site-address.ts'
import type { UnreadSite } from '#store/queues/unread.ts'
import type { Site } from '#store/sites/sites.ts'
import { isoOf, isoOrNull } from './iso-of.ts'

/** Per site in a list. */
const listedProblemsMax = 10

/** A site as its owner sees it, without its domains (decisions.md §6). */
export function siteRow(
  site: Site,
  failed: UnreadSite | undefined,
  { siteUrl }: Pick<ApiContext, 'siteUrl'>,
) {
  const { did, live, name, refused } = site
  return {
    rkey: name,
    displayName: name,
    uri: siteUri({ did, name }),
    cid: live?.recordCid ?? null,
    fileCount: live?.fileCount ?? 0,
    bytes: live?.bytes ?? 0,
    url: siteUrl({ did, name }),
    createdAt: isoOf(site.createdAt),
    updatedAt: isoOf(site.updatedAt),
    publishedAt: isoOrNull(live?.publishedAt),
    verifiedAt: isoOrNull(live?.seenAt),
    problems: [...firstOf((refused ?? live)?.problems ?? []), ...unreadProblems(failed)],
  }
}

const serverGaveNotAll = 'Your account’s server did not send all of the newest version.'

function firstOf(problems: readonly string[]): string[] {
  const first = problems.slice(0, listedProblemsMax)
  const others = problems.length - first.length
  return others === 0 ? first : [...first, `And ${others} more.`]
}

function unreadProblems(failed: UnreadSite | undefined): string[] {
  if (failed === undefined) return []
  const { nextAttemptAt } = failed
  const next =
    nextAttemptAt === null
      ? 'We stopped trying. Publish the site again, or sync your sites.'
      : `We will try again at ${isoOf(nextAttemptAt)}.`
  return [`${failed.error === noDiskSpace ? noDiskSpace : serverGaveNotAll} ${next}`]
}
