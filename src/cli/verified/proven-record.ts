import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import {
  type Did,
  parseDid,
  parseSiteUri,
  type SiteAddress,
  siteUri,
  versionUri,
} from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import { findNamedSite } from './named-site.ts'
import { readVerified, readVerifiedVersion, type VerifiedSite } from './read-verified.ts'
import type { ServedPage } from './served-page.ts'

/** A host does not say that it shows the site. */
export class OtherRecordError extends CommandError {
  override readonly name = 'OtherRecordError'
}

/**
 * The record that a page is from, as its host says, read with proof; a host that does not say it needs the site's name. Throws
 * CommandError, an OtherRecordError if the page is from another site than the one that is named, or nobody says from which.
 */
export async function readProvenRecord(
  { record, url }: Pick<ServedPage, 'record' | 'url'>,
  site: string | undefined,
  context: CommandContext,
): Promise<VerifiedSite> {
  const wanted = site === undefined ? null : await findNamedSite(site, {}, context)
  const stated = parseRecord(record)
  if (stated === null) {
    if (wanted !== null) return await readVerified(wanted, null, context)
    throw new OtherRecordError(
      `${url.host} does not say whose record this is. Name the site with --site <handle>/<name>.`,
    )
  }
  const { did, name, version } = stated
  const other = (wanted: SiteAddress) =>
    new OtherRecordError(`${url.host} shows ${record}, not ${siteUri(wanted)}.`)
  if (wanted !== null && wanted.did !== did) throw other(wanted)
  const found =
    version === null
      ? await readVerified({ did, name }, null, context)
      : await readVerifiedVersion(did, version, context)
  if (wanted !== null && siteUri(wanted) !== siteUri(found.address)) throw other(wanted)
  return found
}

type StatedRecord =
  | { readonly did: Did; readonly name: SiteName; readonly version: null }
  | { readonly did: Did; readonly name: null; readonly version: VersionKey }

/** As a Sitehost writes it; null for anything else. */
function parseRecord(record: string | null): StatedRecord | null {
  if (record === null) return null
  const site = parseSiteUri(record)
  if (site !== null && siteUri(site) === record) return { ...site, version: null }
  const [, , owner = '', , key = ''] = record.split('/')
  const [did, version] = [parseDid(owner), parseVersionKey(key)]
  if (did === null || version === null || versionUri(did, version) !== record) return null
  return { did, name: null, version }
}
