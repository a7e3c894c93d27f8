import { isVersionLabel } from '#site/version-label.ts'
import type { Change } from '#store/database/changes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { listHostsOfLabels } from '#store/names/hosts.ts'
import { visitedVersionsAmong } from '#store/sites/previews.ts'
import { servedLabelsAmong } from '#store/sites/sites.ts'

/**
 * The hosts whose copies in a CDN visitors must not get after these changes: hosts that lead elsewhere, sites and versions
 * that are gone, and sites of which something was taken back. What is only published anew is among them if the CDN keeps
 * pages; otherwise its copies are revalidated, or have names of their own. Previews are not, which no CDN may keep.
 */
export async function hostsToPurge(
  db: Db,
  changes: readonly Change[],
  { baseDomain, keepsPages }: { readonly baseDomain: string; readonly keepsPages: boolean },
): Promise<Set<string>> {
  const hosts = new Set<string>()
  const labels = new Set<string>()
  const sites = new Set<string>()
  for (const change of changes) {
    if (change.kind === 'host') hosts.add(change.host)
    else if (change.kind === 'site') labels.add(change.label)
    else if (change.kind === 'blobs' && change.label !== '') sites.add(change.label)
  }
  const gone = labels.difference(await servedAmong(db, [...labels]))
  for (const label of keepsPages ? labels : gone) if (!isVersionLabel(label)) sites.add(label)
  for (const label of gone.union(sites)) hosts.add(`${label}.${baseDomain}`)
  for (const some of chunksOf([...sites])) {
    for (const host of await listHostsOfLabels(db, some)) hosts.add(host)
  }
  return hosts
}

async function servedAmong(db: Db, labels: readonly string[]): Promise<Set<string>> {
  const served = new Set<string>()
  for (const some of chunksOf(labels)) {
    for (const [label] of await servedLabelsAmong(db, some.filter(isOfSite))) served.add(label)
    for (const label of await visitedVersionsAmong(db, some.filter(isVersionLabel))) {
      served.add(label)
    }
  }
  return served
}

const isOfSite = (label: string): boolean => !isVersionLabel(label)
