/** What somebody entered who was sent to their server to sign in. */
export interface BegunSignIn {
  readonly handle: string
  /** The page to come back to. */
  readonly returnTo: string | null
}

const key = 'begun-sign-in'

/** Keeps it in this tab, for when the sign-in fails or is denied. */
export function keepBegunSignIn(begun: BegunSignIn): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(begun))
  } catch {
    // Blocked: it is entered once more.
  }
}

/**
 * What the form begins with: what the address says; after a sign-in that failed, or that somebody came back from, what was
 * entered before.
 */
export function signInToBegin(search: string, kept: string | null, isBack = false): BegunSignIn {
  const query = new URLSearchParams(search)
  const isAgain = query.has('error') || isBack
  const begun = isAgain && kept !== null ? (JSON.parse(kept) as BegunSignIn) : null
  return {
    handle: query.get('handle') ?? begun?.handle ?? '',
    returnTo: query.get('return_to') ?? begun?.returnTo ?? null,
  }
}

export function keptSignIn(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

/** The browser has loaded the page anew for its back button. */
export const isBackAgain = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward')
