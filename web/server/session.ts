import { ApiError } from './api.ts'

/** Whether the error says that the sign-in has ended; if so, the page is being left for `/`. */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  location.replace('/?news=signed_out')
  return true
}

/** What the sign-in page tells whoever was sent there: something to mend, or just news. */
export interface Notice {
  readonly kind: 'problem' | 'news'
  readonly text: string
}

/** What the address of the sign-in page asks to tell, or null. */
export function noticeOf(search: string): Notice | null {
  const query = new URLSearchParams(search)
  const told = news.get(query.get('news') ?? '')
  if (told !== undefined) return { kind: 'news', text: told }
  const error = query.get('error') ?? ''
  const problem = problems.get(`${error} ${query.get('reason')}`) ?? problems.get(error)
  return problem === undefined ? null : { kind: 'problem', text: problem }
}

const problems = new Map([
  [
    'auth_failed',
    'Signing in did not work. Try again, and allow all that Sitehost asks for; if you pressed “Deny access”, nothing was changed.',
  ],
  // One comes back every ten seconds at least (src/api/contract/limits.ts).
  [
    'auth_failed too_many',
    'Too many sign-ins from your network. Try again in a few seconds; nothing was changed.',
  ],
  [
    'auth_failed not_allowed',
    'This service is not open to everybody, and your account is not on its list. Ask its operator for an invitation; nothing was stored.',
  ],
  [
    'auth_failed invitation_over',
    'That invitation has been used, or its time is over. Ask whoever sent it for another one.',
  ],
  ['missing_handle', 'Enter your handle or your server’s address.'],
])

const news = new Map([
  ['left', 'Your data here is deleted.'],
  ['invited', 'You are invited. Sign in with your account to accept.'],
  ['signed_out', 'Your sign-in has ended. Sign in again.'],
])
