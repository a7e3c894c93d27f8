interface Source {
  readonly text: string
  /** Null: nothing that a browser could open. */
  readonly href: string | null
}

const commitCharsShown = 7

/**
 * Where a version says that its files come from: `acme/blog@main 1a2b3c4`. The record may be anybody's, so that only
 * web addresses become links. Null when it says nothing.
 */
export function sourceOf(source: Readonly<Record<string, unknown>> | null): Source | null {
  if (source === null) return null
  const text = (key: string): string => {
    const value = source[key]
    return typeof value === 'string' ? value : ''
  }
  const ref = text('ref').replace(/^refs\/(?:heads|tags)\//, '')
  const place = text('repository') + (ref === '' ? '' : `@${ref}`)
  const shown = [place, text('commit').slice(0, commitCharsShown)].filter(Boolean).join(' ')
  const href = webAddress(text('url'))
  if (shown === '' && href === null) return null
  return { text: shown === '' ? new URL(href ?? '').host : shown, href }
}

function webAddress(text: string): string | null {
  if (!URL.canParse(text)) return null
  const { href, protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
