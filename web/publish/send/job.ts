import type { JobEvents } from '#api/contract/client.ts'
import { words } from '#web/words/words.ts'

export type JobUpdate = Pick<JobEvents['progress'], 'status' | 'progress' | 'error'>

export type JobResult = JobEvents['done']

/** One line on where a job is, and how much of it is done, from 0 to 1; null while that is unknown. */
export function describeJob({ status, progress, error }: JobUpdate): {
  text: string
  fraction: number | null
} {
  const said = words.publish.progress
  // What has ended with an error is no update any more.
  if (error !== null) return { text: error, fraction: null }
  const hasBegun = progress.phase !== 'validating'
  if (status === 'pending') return { text: hasBegun ? said.server : said.toStart, fraction: null }
  const { totalFiles, filesProcessed, filesUploaded, filesReused } = progress
  // A file that is reused is neither prepared nor sent: it is done from the start.
  const prepared = filesProcessed + filesReused
  const stored = filesUploaded + filesReused
  // Each file is seen twice: once prepared, once stored.
  const fraction = totalFiles === 0 ? null : (prepared + stored) / (2 * totalFiles)
  switch (progress.phase) {
    case 'validating':
    case 'compressing':
      return { text: said.prepared(prepared, totalFiles), fraction }
    case 'uploading':
      return { text: said.stored(stored, totalFiles), fraction }
    case 'creating_manifest':
      return { text: said.writing, fraction: 1 }
    case 'finalizing':
    case 'done':
      return { text: said.online, fraction: 1 }
  }
}
