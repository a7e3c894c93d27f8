import { useSyncExternalStore } from 'react'

/** Of the element that takes a drop for this site: `data-drop-site={rkey}`. */
const attribute = 'data-drop-site'

let target: string | null = null
const listeners = new Set<() => void>()

/** The site whose part of the page is below the pointer, or null. */
export function siteAt(place: EventTarget | null): string | null {
  if (!(place instanceof Element)) return null
  return place.closest(`[${attribute}]`)?.getAttribute(attribute) ?? null
}

/** Null: nothing is dragged over any. */
export function setDropTarget(site: string | null): void {
  if (site === target) return
  target = site
  for (const listener of listeners) listener()
}

/** Whether something is dragged over the part of the page that takes it for this site. */
export function useIsDropTarget(site: string): boolean {
  const isTarget = () => target === site
  return useSyncExternalStore(subscribe, isTarget, isTarget)
}

export const useDropTarget = (): string | null => useSyncExternalStore(subscribe, read, read)

const read = () => target

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
