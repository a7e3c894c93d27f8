import {
  type NewPreview,
  unreadVersionSentence,
  unservedVersionSentence,
} from '#publish/new-version.ts'
import type { WrittenSite } from '#publish/write-site.ts'
import { manifestFilesMax } from '#site/limits.ts'
import { previewLabel } from '#site/preview-label.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { JobProgress, JobResult } from '#store/queues/jobs.ts'
import type { JobContext } from './job-context.ts'
import type { Shown } from './make-visible.ts'

interface JobFacts extends Pick<JobResult, 'skippedFiles'> {
  /** Null: it was published. */
  readonly preview: NewPreview | null
  readonly progress: JobProgress
  readonly shown: Shown
}

/** What a job has published, for its owner. It names the address of a version once visitors get it there. */
export function jobResult(
  address: SiteAddress,
  { uri, cid, fileCount, version, versionProblem }: WrittenSite & { readonly fileCount: number },
  { preview, progress, shown, skippedFiles }: JobFacts,
  { labelUrl, siteUrl }: Pick<JobContext, 'labelUrl' | 'siteUrl'>,
): JobResult {
  const isRead = version !== null && shown.version.kind === 'read'
  const { alias } = preview ?? {}
  const previewName = alias === undefined ? null : previewLabel(alias, siteLabel(address))
  return {
    success: true,
    uri,
    cid,
    fileCount,
    siteName: address.name,
    url: siteUrl(address),
    live: preview === null ? shown.site.kind === 'live' : isRead,
    uploadedCount: progress.filesUploaded,
    reusedCount: progress.filesReused,
    skippedFiles,
    versionId: version?.key ?? null,
    versionUrl: isRead ? labelUrl(version.label) : null,
    previewUrl: isRead && previewName !== null ? labelUrl(previewName) : null,
    versionProblem: version === null ? versionProblem : problemOf(shown),
    sizeNotice: sizeNoticeOf(fileCount),
  }
}

function problemOf({ version }: Shown): string | null {
  switch (version.kind) {
    case 'read':
      return null
    case 'pending':
      return unreadVersionSentence
    case 'refused':
      return unservedVersionSentence(version.problem)
  }
}

/** For the owner of a site that follows our limits but not those of the record's lexicon. */
const sizeNoticeOf = (files: number): string | null =>
  files > manifestFilesMax
    ? `This site has over ${manifestFilesMax} files. Other services that host such sites may refuse it.`
    : null
