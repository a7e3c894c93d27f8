import { removesMost } from '#site/upload/removals.ts'
import type { Choice } from '#web/publish/files/choose-files.ts'
import { ApiError, call } from '#web/server/api.ts'

/** How many files a publish takes from a site, and how many it has now. `unknown`: they cannot be compared. */
export type Removals = { readonly removed: number; readonly present: number } | 'unknown'

/** What somebody has to agree to before the choice replaces a live site; null: nothing to speak of is lost. */
export async function findRemovals(
  site: string,
  { files, isSealed }: Pick<Choice, 'files' | 'isSealed'>,
  list = livePaths,
): Promise<Removals | null> {
  if (isSealed) return 'unknown'
  const live = await list(site)
  if (live === 'unknown') return live
  const stays = new Set<string>(files.map(({ path }) => path))
  const removed = live.filter((path) => !stays.has(path)).length
  return removesMost(removed, live.length) ? { removed, present: live.length } : null
}

async function livePaths(site: string): Promise<readonly string[] | 'unknown'> {
  try {
    const params = { rkey: site, id: 'live' }
    const { files } = await call('GET /api/site/:rkey/versions/:id/files', { params })
    return files.map(({ path }) => path)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // No version of it is live.
    return error.status === 404 ? [] : 'unknown'
  }
}
