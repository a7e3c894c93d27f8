import { useSyncExternalStore } from 'react'

/** What the browser's address says: path and query, without the origin. Renders again when it changes. */
export function useAddress(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href)
  return new URL(href)
}

/** Goes to an address of these pages without loading a document; `replace` adds nothing to the history. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  for (const listener of listeners) listener()
}

/** The current address with these keys of the query changed; null removes one. */
export function addressWith(changes: Readonly<Record<string, string | null>>): string {
  const { pathname, search } = location
  const query = new URLSearchParams(search)
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(key)
    else query.set(key, value)
  }
  const text = query.toString()
  return text === '' ? pathname : `${pathname}?${text}`
}

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('popstate', listener)
  }
}
