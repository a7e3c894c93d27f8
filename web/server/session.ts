import { forgetDropped } from '#web/publish/with-kept-drops.ts'
import { isLeavingGuarded } from '#web/shell/routing/address.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { ApiError } from './api.ts'
import { dropKept } from './kept-answers.ts'

/**
 * Whether the error says that nobody is signed in; if so, the page is being left for the sign-in, which comes back to it, or
 * has said so where something is not saved.
 */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  if (isLeavingGuarded()) stay()
  else if (!isLeaving) {
    const address = signInAddress(location, wasSignedIn())
    dropKept()
    location.replace(address)
  }
  return true
}

let isLeaving = false

/** Goes where nobody is signed in any more. Nothing of the account stays in the tab, and no late answer leads elsewhere. */
export async function leaveAccount(address: string): Promise<void> {
  new BroadcastChannel(signOuts).postMessage(null)
  await leaveTab(address)
}

/** Leaves the account in this tab when another one does. */
export function followSignOuts(): void {
  new BroadcastChannel(signOuts).onmessage = () => {
    if (isLeavingGuarded()) stay()
    else if (!isLeaving) void leaveTab('/')
  }
}

/** Leaves what is not saved where it is: signing in elsewhere is enough to save it. */
function stay(): void {
  const { signIn, signedOut } = words.shell
  dropKept()
  toast(signedOut, {
    tone: 'danger',
    action: { label: signIn, run: () => void window.open(signInAddress(location, true), '_blank') },
  })
}

const signOuts = 'signed-out'

async function leaveTab(address: string): Promise<void> {
  isLeaving = true
  // The back button may bring this page as it was left.
  addEventListener('pageshow', () => location.reload(), { once: true })
  dropKept()
  sessionStorage.removeItem(signedInKey)
  await forgetDropped()
  location.assign(address)
}

/** Whether the account is being left: what arrives now is not kept. */
export const isLeavingAccount = (): boolean => isLeaving

export function signInAddress(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  wasSignedIn: boolean,
): string {
  const news = wasSignedIn ? 'signed_out' : 'sign_in'
  return `/?${new URLSearchParams({ news, return_to: pathname + search })}`
}

const signedInKey = 'signed-in'

/** Somebody is signed in here: when that ends, it is news. */
export function rememberSignedIn(): void {
  try {
    sessionStorage.setItem(signedInKey, 'true')
  } catch {
    // Blocked: the sign-in page says less.
  }
}

function wasSignedIn(): boolean {
  try {
    return sessionStorage.getItem(signedInKey) !== null
  } catch {
    return false
  }
}

/** What the sign-in page tells whoever was sent there: something to mend in the form, what did not work, news, or what to do. */
export interface Notice {
  readonly kind: 'problem' | 'warning' | 'news' | 'request'
  readonly text: string
}

/** What the address of the sign-in page asks to tell, or null. */
export function noticeOf(search: string): Notice | null {
  const query = new URLSearchParams(search)
  const { news, problems } = words.start
  const told = query.get('news')
  const text = textOf(news, told)
  if (text !== null) {
    return { kind: told === 'signed_out' || told === 'sign_in' ? 'request' : 'news', text }
  }
  const error = query.get('error')
  const reason = error === 'auth_failed' ? textOf(problems, query.get('reason')) : null
  const problem = reason ?? (isError(error) ? problems[error] : null)
  if (problem === null) return null
  return { kind: error === 'missing_handle' ? 'problem' : 'warning', text: problem }
}

const isError = (error: string | null) => error === 'auth_failed' || error === 'missing_handle'

const textOf = (texts: Readonly<Record<string, string>>, key: string | null): string | null =>
  key !== null && Object.hasOwn(texts, key) ? (texts[key] ?? null) : null
