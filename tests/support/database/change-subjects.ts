import type { Change } from '#store/database/changes.ts'

/** What a change is about: a label, a host, the hashes of removed blobs, an account, or events. */
export function subjectOf(change: Change): string {
  if (change.kind === 'blobs') return change.hashes.join(' ')
  if (change.kind === 'signed-out' || change.kind === 'identity') return change.didHash
  if (change.kind === 'events') return Object.keys(change.counts).join(' ')
  return change.kind === 'host' ? change.host : change.label
}
