import type { LeftOut } from '#cli/folder/folder-listing.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteName } from '#site/site-name.ts'
import type { LocalContents } from './local-contents.ts'

/** A folder that is to be a site. */
export interface ReadFolder {
  readonly site: SiteName
  readonly files: readonly UploadedFile[]
  /** Where their bytes are. */
  readonly contents: LocalContents
  /** Fields to set; null: none. */
  readonly settings: SiteSettings | null
  readonly leftOut: readonly LeftOut[]
  /** What its owner might not have meant; it is published all the same. */
  readonly warnings: readonly string[]
}
