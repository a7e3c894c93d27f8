/** RFC 9110 §13.1.2: a list of tags, compared weakly, or `*`. Linear, and never throws. */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}
