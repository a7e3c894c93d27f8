import { useSyncExternalStore } from 'react'

/** What the browser's address says: path and query, without the origin. Renders again when it changes. */
export function useAddress(): URL {
  return new URL(useSyncExternalStore(subscribe, currentHref, currentHref))
}

/**
 * Goes to an address of these pages without loading a document; `replace` adds nothing to the history. Does
 * nothing where a guard objects (`guardLeaving`), unless it is `forced`.
 */
export function goTo(href: string, { replace = false, forced = false } = {}): void {
  const to = new URL(href, location.href).href
  const leave = () => {
    guard = null
    go(to, replace)
  }
  if (forced || guard === null || guard(leave)) leave()
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

/** One page at a time may object to being left. Returns what takes the guard away. */
export function guardLeaving(asked: LeaveGuard): () => void {
  guard = asked
  return () => {
    if (guard === asked) guard = null
  }
}

/** Whether the page has something that is not saved. */
export const isLeavingGuarded = (): boolean => guard !== null

/** Where the page that is about to appear starts: the top, or where it was when one went on from it. */
export const scrollTargetNow = (): number => scrollTarget

/** Whether a page that starts at its top is taking another's place just now. */
export const isChangingPages = (): boolean => isChanging

/** How one page takes the place of another. */
export interface PageChange {
  /** Loads what the page of a path needs; null: it has it. The page before stays until then. */
  readonly prepare: (path: string) => Promise<void> | null
  /** Runs `update`, after which the other page is there. */
  readonly show: (update: () => void, from: URL, to: URL) => void
}

/** Without it, pages change at once. */
export function changePagesWith(given: PageChange): void {
  pageChange = given
}

let pageChange: PageChange = { prepare: () => null, show: (update) => update() }
let guard: LeaveGuard | null = null
/** What is shown. While a guard objects or a page is loaded, the browser's own may be another one for a moment. */
let href: string | null = null
/** Of the history, counted from where the tab came here. */
let entry: number | null = null
let isReturning = false
let isChanging = false
let scrollTarget = 0

const entriesMax = 200
/** How far each entry was scrolled. */
const positions = new Map<number, number>()

function currentHref(): string {
  href ??= location.href
  return href
}

function currentEntry(): number {
  const state: unknown = history.state
  entry ??=
    typeof state === 'object' && state !== null && 'entry' in state ? Number(state.entry) : 0
  return entry
}

function go(to: string, replace: boolean): void {
  keepPosition()
  if (!replace) entry = currentEntry() + 1
  history[replace ? 'replaceState' : 'pushState']({ entry: currentEntry() }, '', to)
  scrollTarget = replace ? scrollY : 0
  show()
}

function onPopState(): void {
  const from = currentEntry()
  entry = null
  const steps = currentEntry() - from
  if (isReturning) {
    isReturning = false
    return
  }
  const leave = () => {
    guard = null
    history.go(steps)
  }
  if (guard !== null && steps !== 0 && !guard(leave)) {
    // The browser has gone already.
    isReturning = true
    history.go(-steps)
    return
  }
  const to = entry
  entry = from
  keepPosition()
  entry = to
  scrollTarget = positions.get(currentEntry()) ?? 0
  show()
}

function keepPosition(): void {
  positions.set(currentEntry(), scrollY)
  const oldest = positions.keys().next().value
  if (positions.size > entriesMax && oldest !== undefined) positions.delete(oldest)
}

const listeners = new Set<() => void>()

function show(): void {
  const from = new URL(currentHref())
  const to = new URL(location.href)
  const update = () => {
    // A transition begins with the next frame, and a page is loaded: somebody may have gone on meanwhile.
    if (location.href !== to.href) return
    href = to.href
    for (const listener of listeners) listener()
  }
  const change = () => {
    isChanging = scrollTarget === 0
    pageChange.show(update, from, to)
    isChanging = false
  }
  if (from.pathname === to.pathname) {
    update()
    return
  }
  const preparing = pageChange.prepare(to.pathname)
  if (preparing === null) change()
  else void preparing.then(() => location.href === to.href && change())
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    // The pages arrive after the address: the browser would scroll the page before.
    history.scrollRestoration = 'manual'
    addEventListener('popstate', onPopState)
  }
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('popstate', onPopState)
  }
}
