/** The text of one answer; larger ones are loaded again. sessionStorage holds some 5 MB. */
const keptCharsMax = 500_000

/** Of who is signed in. */
export const userKey = ['user'] as const

const prefix = 'kept:'

/** Grows with fields of answers that pages rely on: a tab may have kept some before an upgrade. */
const version = 2

const storageKeyOf = (queryKey: readonly unknown[]): string =>
  `${prefix}${version}:${JSON.stringify(queryKey)}`

/** The answer that this tab had before it was reloaded, or undefined. */
export function readKept(queryKey: readonly unknown[]): unknown {
  try {
    const text = sessionStorage.getItem(storageKeyOf(queryKey))
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export function keep(queryKey: readonly unknown[], answer: unknown): void {
  const text = JSON.stringify(answer)
  try {
    if (text.length <= keptCharsMax) sessionStorage.setItem(storageKeyOf(queryKey), text)
    else sessionStorage.removeItem(storageKeyOf(queryKey))
  } catch {
    // Full or blocked: it is loaded again after a reload.
  }
}

/** After a sign-out nothing of the account stays in the tab. */
export function dropKept(): void {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(prefix)) sessionStorage.removeItem(key)
    }
  } catch {
    // Blocked: nothing was kept.
  }
}
