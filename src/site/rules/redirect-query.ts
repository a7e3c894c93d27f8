/** A key that a request's query must have; extra ones do not matter, nor does their order. */
export interface QueryCondition {
  readonly key: string
  /** What its value must be; null when any will do. */
  readonly value: string | null
  /** What a target calls the value; null when the value is given. */
  readonly name: string | null
}

/** Reads `k=x`, `k=` or `k=:name`, encoded as in an address; a sentence if it is none of them. */
export function parseQueryCondition(word: string): QueryCondition | string {
  const equals = word.indexOf('=')
  const key = decode(word.slice(0, equals))
  const raw = word.slice(equals + 1)
  const value = decode(raw)
  if (key === null || value === null) return 'has a bad % escape'
  if (key === '') return 'has no key before the ='
  const name = /^:([A-Za-z_]\w*)$/.exec(raw)?.[1] ?? null
  return { key, value: name === null ? value : null, name }
}

export function queryHolds(
  conditions: readonly QueryCondition[],
  query: ReadonlyMap<string, string>,
): boolean {
  return conditions.every(({ key, value }) => {
    const actual = query.get(key)
    return actual !== undefined && (value === null || value === actual)
  })
}

/** As `URLSearchParams` decodes the same text in a request. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
