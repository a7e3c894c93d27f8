import { counted } from '#cli/counted.ts'
import type { LeftOut } from '#cli/folder/folder-listing.ts'
import { byteText } from '#site/byte-text.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Difference } from './compare-with-live.ts'
import type { Deployed } from './deploy-files.ts'
import type { ReadFolder } from './read-folder.ts'

/** What is not published; by name and reason if that is wanted. */
export function leftOutLines(
  leftOut: readonly LeftOut[],
  { verbose }: { readonly verbose?: true },
): string[] {
  if (verbose) return leftOut.map(({ path, reason }) => `left out: ${path} (${reason})`)
  if (leftOut.length === 0) return []
  return [
    `Left out: ${counted(leftOut.length, 'file or folder', 'files and folders')}; --verbose names them.`,
  ]
}

/** For people: what was published, then its address in the repository and its version. */
export function resultLines({ name }: SiteAddress, deployed: Deployed): string[] {
  const { isUnchanged, progress, uri, version } = deployed
  const isPreview = version !== null && version.manifest === null
  const sent = `${progress.filesUploaded} sent (${byteText(progress.bytesUploaded)})`
  const files = `${counted(deployed.fileCount, 'file')}, ${sent}`
  const versionLine = version === null || isPreview ? [] : [`version ${version.key}`]
  if (isUnchanged) return [`${name} is like this already: nothing was sent.`, uri, ...versionLine]
  return [`Published ${isPreview ? `a preview of ${name}` : name}: ${files}.`, uri, ...versionLine]
}

/** One object on one line; `docs/command-line.md` lists the fields. `url` null: nothing was waited for, or in vain. */
export function resultJson(
  { did, name }: SiteAddress,
  deployed: Deployed,
  url: string | null,
  { leftOut, warnings }: Pick<ReadFolder, 'leftOut' | 'warnings'>,
): string {
  const { cid, fileCount, isUnchanged, progress, uri, version, versionProblem } = deployed
  return JSON.stringify({
    site: name,
    did,
    uri,
    cid,
    version: version && {
      id: version.key,
      label: version.label,
      isPreview: version.manifest === null,
    },
    versionProblem,
    unchanged: isUnchanged,
    files: { total: fileCount, sent: progress.filesUploaded, reused: progress.filesReused },
    bytesSent: progress.bytesUploaded,
    url,
    leftOut,
    warnings,
  })
}

/** One line for each path: `+` new, `~` changed, `-` removed. */
export function differenceLines(name: SiteName, { added, changed, removed }: Difference): string[] {
  const count = added.length + changed.length + removed.length
  if (count === 0) return [`${name} would not change.`]
  return [
    ...added.map((path) => `+ ${path}`),
    ...changed.map((path) => `~ ${path}`),
    ...removed.map((path) => `- ${path}`),
  ]
}
