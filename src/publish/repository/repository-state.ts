import type { ListedRecord } from '#atproto/repo/account-repo.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'

/** Our collections in a repository, at the commit `head`. */
export interface RepositoryState extends AccountRecords {
  readonly head: string
  /** Of the site that the repository was read for. */
  readonly settings: ListedRecord | null
}
