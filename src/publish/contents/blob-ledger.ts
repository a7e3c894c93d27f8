import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { EncodedFile } from './encode-file.ts'
import type { ReusableBlob } from './named-blobs.ts'
import type { PlannedFile } from './planned-file.ts'

/** What is known of an account's blobs and its server, for one publish after the other. */
export interface BlobLedger {
  /**
   * The blobs that the account has already with contents of these files, by the SHA-256 of the content. `present`: files
   * that `records` may not name.
   */
  findReusable(
    files: readonly PlannedFile[],
    records: AccountRecords,
    present: ReadonlyMap<SitePath, FileNode>,
  ): Promise<ReadonlyMap<string, ReusableBlob>>
  /** Whether the account's server changes the media type of gzip; null: not known. */
  sniffsGzip(): Promise<boolean | null>
  rememberSniffing(sniffsGzip: boolean): Promise<void>
  /** Runs while the file is uploaded. What it returns records the upload, at the latest at the next `flush`. */
  keep(file: EncodedFile): Promise<(uploaded: ReusableBlob) => Promise<void>>
  flush(): Promise<void>
  /** Forgets uploads of these contents: of all times, or those recorded before. */
  forget(sha256s: readonly string[], options?: { readonly before: number }): Promise<void>
}
