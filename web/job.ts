import type { SkippedFile } from './collect-files.ts'

export interface JobProgress {
  readonly phase:
    | 'validating'
    | 'compressing'
    | 'uploading'
    | 'creating_manifest'
    | 'finalizing'
    | 'done'
  readonly totalFiles: number
  readonly filesProcessed: number
  readonly filesUploaded: number
  readonly filesReused: number
  readonly currentFile: string | null
}

export interface JobUpdate {
  readonly status: 'pending' | 'processing' | 'uploading' | 'completed' | 'failed'
  readonly progress: JobProgress
}

export interface JobResult {
  readonly siteName: string
  readonly url: string
  readonly fileCount: number
  readonly uploadedCount: number
  readonly reusedCount: number
  /** Whether visitors see it already; if not, they will in a moment. */
  readonly live: boolean
  readonly skippedFiles: readonly SkippedFile[]
}

/** One line on where a job is, and how much of it is done, from 0 to 1; null while that is unknown. */
export function describeJob({ status, progress }: JobUpdate): {
  text: string
  fraction: number | null
} {
  if (status === 'pending') return { text: 'Waiting for its turn', fraction: null }
  const { totalFiles, filesProcessed, filesUploaded, filesReused } = progress
  // A file that is reused is neither prepared nor sent: it is done from the start.
  const prepared = filesProcessed + filesReused
  const stored = filesUploaded + filesReused
  // Each file is seen twice: once prepared, once stored.
  const fraction = totalFiles === 0 ? null : (prepared + stored) / (2 * totalFiles)
  switch (progress.phase) {
    case 'validating':
    case 'compressing':
      return { text: `Prepared ${prepared} of ${totalFiles} files`, fraction }
    case 'uploading':
      return { text: `Stored ${stored} of ${totalFiles} files`, fraction }
    case 'creating_manifest':
      return { text: 'Writing the new version', fraction: 1 }
    case 'finalizing':
    case 'done':
      return { text: 'Putting it online', fraction: 1 }
  }
}
