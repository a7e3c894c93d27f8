import { findUnusablePath } from '#site/rules/header-rules.ts'
import { siteFileName } from '#site/upload/path-rules.ts'
import { parseSiteFile, type SiteFile } from '#site/upload/site-file.ts'
import { invalid } from '#site/upload/upload-refusal.ts'

/** The `sitehost.json` of an upload. Throws UploadRefusedError. */
export function readSiteFile(text: string): SiteFile {
  const parsed = parseSiteFile(text)
  if (!parsed.ok) throw invalid(`${siteFileName}, ${parsed.problem}.`)
  const unusable = findUnusablePath(parsed.file.settings?.headers ?? [])
  if (unusable !== null) throw invalid(`${siteFileName}: settings.${unusable}`)
  return parsed.file
}
