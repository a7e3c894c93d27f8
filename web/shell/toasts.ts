import { useSyncExternalStore } from 'react'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: 'good' | 'danger'
  /** A way back, such as "Undo". */
  readonly action: { readonly label: string; readonly run: () => void } | null
}

const toastsMax = 3
const shownMs = 6_000
/** Whoever may want to undo something needs time to read first. */
const shownWithActionMs = 12_000

let toasts: readonly Toast[] = []
let nextId = 1
const listeners = new Set<() => void>()

/** Says what has happened, at the lower edge of the window and to screen readers. */
export function toast(text: string, options: Partial<Pick<Toast, 'tone' | 'action'>> = {}): void {
  const { tone = 'good', action = null } = options
  const shown = { id: nextId++, text, tone, action }
  // Said again, it is the newest.
  const others = toasts.filter((each) => each.text !== text)
  set([...others, shown].slice(-toastsMax))
  setTimeout(() => dismissToast(shown.id), action === null ? shownMs : shownWithActionMs)
}

export function dismissToast(id: number): void {
  set(toasts.filter((toast) => toast.id !== id))
}

export const useToasts = (): readonly Toast[] => useSyncExternalStore(subscribe, read, read)

const read = () => toasts

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
