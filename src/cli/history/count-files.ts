import { expandStored, type ReadContext } from '#publish/expand-stored.ts'
import type { RepositoryState } from '#publish/repository/read-repository.ts'
import { ownField } from '#site/record/own-fields.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'

/** By site. Of a site in parts, whose record may leave the number out, the files are counted. */
export async function countFiles(
  repository: RepositoryState,
  context: ReadContext,
): Promise<ReadonlyMap<SiteName, number>> {
  const counts = new Map<SiteName, number>()
  for (const [rkey, { root, value }] of repository.sites) {
    const name = parseSiteName(rkey)
    if (name === null) continue
    const stated = fileCountOf(value)
    if (stated !== null) counts.set(name, stated)
    if (stated !== null || root === null) continue
    const address = { did: context.repo.did, name }
    const expanded = await expandStored(address, root, repository, context)
    if (expanded.ok) counts.set(name, expanded.files.size)
  }
  return counts
}

function fileCountOf(value: unknown): number | null {
  const count = ownField(value, 'fileCount')
  return typeof count === 'number' ? count : null
}
