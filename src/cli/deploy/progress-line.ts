import { byteText } from '#site/byte-text.ts'
import type { JobProgress } from '#store/queues/jobs.ts'

/** `Sending 3 of 12 files, 45 kB so far: blog/index.html`. */
export function progressLine(progress: JobProgress): string {
  const { bytesUploaded, currentFile, filesProcessed, filesUploaded, phase, totalFiles } = progress
  const toSend = totalFiles - progress.filesReused
  const of = (count: number) => `${count} of ${toSend} files`
  const at = currentFile === null ? '' : `: ${currentFile}`
  switch (phase) {
    case 'validating':
      return 'Reading the account’s records'
    case 'compressing':
      return `Compressing ${of(filesProcessed)}${at}`
    case 'uploading':
      return `Sending ${of(filesUploaded)}, ${byteText(bytesUploaded)} so far${at}`
    case 'creating_manifest':
      return 'Writing the site'
    case 'finalizing':
    case 'done':
      return 'Done'
  }
}
