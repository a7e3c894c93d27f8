import { useSyncExternalStore } from 'react'

/** What the browser's address says: path and query, without the origin. Renders again when it changes. */
export function useAddress(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href)
  return new URL(href)
}

/**
 * Goes to an address of these pages without loading a document; `replace` adds nothing to the history. Does
 * nothing where a guard objects (`guardLeaving`).
 */
export function goTo(href: string, { replace = false } = {}): void {
  const to = new URL(href, location.href).href
  if (guard !== null && !guard(() => go(to, replace))) return
  go(to, replace)
}

function go(href: string, replace: boolean): void {
  positions.set(entry, scrollY)
  entry = replace ? entry : nextEntry()
  history[replace ? 'replaceState' : 'pushState']({ entry }, '', href)
  scrollTarget = replace ? scrollY : 0
  notify()
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

/** Asked before the page is left; false keeps it, and `leave` leaves it later all the same. */
export type LeaveGuard = (leave: () => void) => boolean

let guard: LeaveGuard | null = null

/** One page at a time may object to being left. Returns what takes the guard away. @public */
export function guardLeaving(asked: LeaveGuard): () => void {
  guard = asked
  return () => {
    if (guard === asked) guard = null
  }
}

/** Where the page that is about to appear starts: the top, or where it was when one went on from it. */
export const scrollTargetNow = (): number => scrollTarget

const entriesMax = 200
/** How far each entry of the history was scrolled. */
const positions = new Map<number, number>()
let entry = 0
let scrollTarget = 0

function nextEntry(): number {
  const oldest = positions.keys().next().value
  if (positions.size > entriesMax && oldest !== undefined) positions.delete(oldest)
  return entry + 1
}

function onPopState(): void {
  positions.set(entry, scrollY)
  const state: unknown = history.state
  const isOurs = typeof state === 'object' && state !== null && 'entry' in state
  entry = isOurs ? Number(state.entry) : 0
  scrollTarget = positions.get(entry) ?? 0
  notify()
}

const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('popstate', onPopState)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('popstate', onPopState)
  }
}
