/** RFC 9110 §13.1.2: a list of tags or `*`, compared weakly. Linear, and never throws. */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header
    .split(',')
    .map((candidate) => candidate.trim())
    .some((candidate) => candidate === '*' || candidate.replace(/^W\//, '') === etag)
}
