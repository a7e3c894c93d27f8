import { ApiError } from './api.ts'

/** Whether the error says that the sign-in has ended; if so, the page is being left for `/`. */
export function leaveIfSignedOut(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 401) return false
  location.replace('/?error=signed_out')
  return true
}

/** What the address of the sign-in page asks to tell, or null. */
export function noticeOf(search: string): string | null {
  return notices.get(new URLSearchParams(search).get('error') ?? '') ?? null
}

const notices = new Map([
  [
    'auth_failed',
    'Signing in did not work. Try again; if you pressed “Deny access”, nothing was changed.',
  ],
  ['missing_handle', 'Enter your handle or your server’s address.'],
  ['signed_out', 'Your sign-in has ended. Sign in again.'],
])
