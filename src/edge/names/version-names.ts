import { previewLabel } from '#site/preview-label.ts'
import { type Did, siteLabel } from '#site/site-address.ts'
import { isVersionLabel } from '#site/version-label.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import { listSubdomainsOf, mappedSubdomainsAmong } from '#store/names/hosts.ts'
import {
  listSitesWithVersions,
  listVisitedVersions,
  siteLabelsOfVersions,
} from '#store/sites/previews.ts'

/** A name that leads to a version or a preview. */
export interface VersionName {
  /** The label of a version, or what `previewName` makes. */
  readonly name: string
  readonly owner: Did
  /** Of its site. */
  readonly siteLabel: string
  /** The site's name that a preview is below; null for a version. */
  readonly below: string | null
}

/** A preview by its alias and the name that it is below: a subdomain with its base domain, or a site's label. */
export const previewName = (alias: string, name: string): string => `${alias}--${name}`

const sitesAtOnce = 200

/** The names of all versions and previews, some sites at a time. */
export async function* allVersionNames(db: Db): AsyncGenerator<VersionName[]> {
  const list = (after: string) => listSitesWithVersions(db, { after, limit: sitesAtOnce })
  for await (const page of pagesOf(list, String)) yield await versionNamesOf(db, page)
}

/** The names of the versions and previews of the sites with these labels. */
export async function versionNamesOf(
  db: Db,
  siteLabels: readonly string[],
): Promise<VersionName[]> {
  const names: VersionName[] = []
  for (const some of chunksOf(siteLabels, sitesAtOnce)) {
    const versions = await listVisitedVersions(db, some)
    const ofSite = Map.groupBy(versions, (version) => version.siteLabel)
    const subdomains = await listSubdomainsOf(
      db,
      [...ofSite.values()].flatMap(([version]) => version ?? []),
    )
    const domains = Map.groupBy(subdomains, ({ did, site }) => siteLabel({ did, name: site }))
    for (const version of versions) {
      const { did: owner, label, alias } = version
      const facts = { owner, siteLabel: version.siteLabel }
      names.push({ ...facts, name: label, below: null })
      if (alias === null) continue
      const ofDomains = domains.get(version.siteLabel)?.map(({ domain }) => domain) ?? []
      for (const below of [version.siteLabel, ...ofDomains].filter((name) => fits(alias, name))) {
        names.push({ ...facts, name: previewName(alias, below), below })
      }
    }
  }
  return names
}

/** Whether a host name can hold the alias and this name. */
const fits = (alias: string, name: string): boolean =>
  previewLabel(alias, name.split('.', 1)[0] ?? '') !== null

/** The labels of the sites whose versions or previews may have other names when these names change. */
export async function sitesConcerned(db: Db, names: readonly string[]): Promise<Set<string>> {
  const labels = names.filter((name) => !name.includes('.'))
  const concerned = new Set(labels.filter((label) => !isVersionLabel(label)))
  for (const some of chunksOf(labels.filter(isVersionLabel))) {
    for (const label of await siteLabelsOfVersions(db, some)) concerned.add(label)
  }
  for (const some of chunksOf(names.filter((name) => name.includes('.')))) {
    for (const { did, site } of await mappedSubdomainsAmong(db, some)) {
      concerned.add(siteLabel({ did, name: site }))
    }
  }
  return concerned
}
