import { tidMilliseconds } from '#site/tid-milliseconds.ts'

/** A state of a repository, and when we began to read it. */
export interface ReadRevision {
  readonly rev: string
  readonly readAt: number
}

/**
 * Whether a state follows one that we know, though its revision may be the lower one. Revisions sort as text
 * (https://atproto.com/specs/tid) and order what one server writes. One whose clock is ahead dates its last commit
 * after the moment in which we see it: what the account's next server writes meanwhile is lower, and later if it is
 * dated after that moment, too, and was read after it.
 */
export function isLater(
  { rev, readAt }: ReadRevision,
  known: { readonly rev: string; readonly seenAt: number },
): boolean {
  if (rev >= known.rev) return rev > known.rev
  return readAt > known.seenAt && tidMilliseconds(rev) > known.seenAt
}
