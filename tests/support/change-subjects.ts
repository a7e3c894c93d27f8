import type { Change } from '#store/database/changes.ts'

/** The label or host of a change; the hashes of removed blobs. */
export function subjectOf(change: Change): string {
  if (change.kind === 'blobs') return change.hashes.join(' ')
  return change.kind === 'host' ? change.host : change.label
}
