export interface RequestTarget {
  /** Percent-encoded. */
  readonly pathname: string
  /** With its question mark, or empty. */
  readonly search: string
}

/**
 * Path and query of a request's `url`, which Bun has made absolute and normalised; `new URL` would cost more than the
 * rest of an answer. For accepted Hosts: with a bad one Bun makes no URL, and the path is empty.
 */
export function requestTarget(url: string): RequestTarget {
  // 8: behind `http://` and at least one character of the host.
  const start = url.indexOf('/', 8)
  if (start === -1) return { pathname: '', search: '' }
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const query = url.indexOf('?', start)
  if (query === -1 || query > end) return { pathname: url.slice(start, end), search: '' }
  const search = query + 1 === end ? '' : url.slice(query, end)
  return { pathname: url.slice(start, query), search }
}
