const key = 'publish'

/** The name under which this tab was about to publish when its document was left, or null. */
export function wantedName(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

/** In the tab, so that another tab or a later visit does not publish by itself. */
export function setWantedName(siteName: string | null): void {
  try {
    if (siteName === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, siteName)
  } catch {
    // Blocked: it has to be asked for again.
  }
}
