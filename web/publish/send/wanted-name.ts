const key = 'publish'
const accountKey = 'publish-for'

/** The name under which this tab was about to publish when its document was left, or null. */
export function wantedName(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

/**
 * In the tab, so that another tab or a later visit does not publish by itself. `account`: the handle or DID with which the sign-in is
 * begun; null: none.
 */
export function setWantedName(siteName: string | null, account: string | null = null): void {
  try {
    for (const [item, value] of [
      [key, siteName],
      [accountKey, account],
    ] as const) {
      if (value === null) sessionStorage.removeItem(item)
      else sessionStorage.setItem(item, value)
    }
  } catch {
    // Blocked: it has to be asked for again.
  }
}

/** Whether this tab was about to publish for this account, as far as it knows. */
export function isWantedBy(user: SignedIn): boolean {
  try {
    const account = sessionStorage.getItem(accountKey)
    return account === null || isAccount(account, user)
  } catch {
    return true
  }
}

interface SignedIn {
  readonly did: string
  readonly handle: string
}

/** Whether a sign-in that was begun with `entered` should lead there; a server's name leads to the accounts that are named below it. */
export function isAccount(entered: string, { did, handle }: SignedIn): boolean {
  const name = entered.toLowerCase()
  return entered === did || name === handle || handle.endsWith(`.${name}`)
}
