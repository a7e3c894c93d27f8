export type RouteParams = Readonly<Record<string, string>>

/** The values of `:names` in a pattern such as `/sites/:rkey/files`, or null where the path is another one. */
export function matchPattern(pattern: string, path: string): RouteParams | null {
  const wanted = pattern.split('/')
  const found = path.split('/')
  if (wanted.length !== found.length) return null
  const params: Record<string, string> = {}
  for (const [at, piece] of wanted.entries()) {
    const value = found[at] ?? ''
    if (!piece.startsWith(':')) {
      if (piece !== value) return null
    } else {
      const decoded = decode(value)
      if (decoded === null || decoded === '') return null
      params[piece.slice(1)] = decoded
    }
  }
  return params
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
