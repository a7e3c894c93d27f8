interface ProblemPlace {
  /** Such as `_redirects, line 2`; null: it is about the site as a whole. */
  readonly place: string | null
  readonly text: string
}

/** Where a problem is, as the service writes it: `_redirects, line 2: expected 2 or 3 words`. */
export function problemPlace(problem: string): ProblemPlace {
  const [, place, text] = /^(_redirects|_headers)(?:, line \d+)?(?=: )/.test(problem)
    ? (/^([^:]+): (.*)$/s.exec(problem) ?? [])
    : []
  return place === undefined || text === undefined
    ? { place: null, text: problem }
    : { place, text }
}

/** With the times that the service writes as the reader's own. */
export const inLocalTime = (text: string, locale: string): string =>
  text.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (at) =>
    new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' }),
  )
