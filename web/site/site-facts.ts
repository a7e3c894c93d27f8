import type { Site } from '#api/contract/client.ts'

export const nameOf = ({ displayName, rkey }: Pick<Site, 'displayName' | 'rkey'>): string =>
  displayName || rkey

export const pageOf = ({ rkey }: Pick<Site, 'rkey'>): string => `/sites/${encodeURIComponent(rkey)}`

/** When visitors got its last version; for one that never went live, when it was last seen. */
export const changedAt = ({ publishedAt, updatedAt }: Site): string => publishedAt ?? updatedAt

/** ISO dates in UTC sort as strings; a collator takes 10 ms to make. */
export const newestFirst = (a: Site, b: Site): number =>
  Number(changedAt(b) > changedAt(a)) - Number(changedAt(b) < changedAt(a))
