import { expect, test } from 'bun:test'
import { noticeOf, signInAddress } from './session.ts'

const notices: [string, kind: 'problem' | 'warning' | 'news' | 'request', start: string][] = [
  ['?error=auth_failed', 'warning', 'Signing in did not work.'],
  ['?error=auth_failed&reason=too_many', 'warning', 'Too many sign-ins from your network.'],
  ['?error=auth_failed&reason=<b>', 'warning', 'Signing in did not work.'],
  ['?error=auth_failed&reason=not_allowed', 'warning', 'This service is not open'],
  ['?error=auth_failed&reason=invitation_over', 'warning', 'That invitation has been used'],
  ['?error=missing_handle', 'problem', 'Enter your handle'],
  ['?news=left', 'news', 'Your data here'],
  ['?news=invited', 'news', 'You are invited.'],
  ['?news=signed_out', 'request', 'Your sign-in has ended.'],
  ['?news=sign_in&return_to=/editor', 'request', 'Sign in to continue.'],
]
test.each(notices)('%j tells, as %s: %s', (search, kind, start) => {
  const notice = noticeOf(search)
  expect([notice?.kind, notice?.text.slice(0, start.length)]).toEqual([kind, start])
})

test.each(['', '?error=<script>', '?error=constructor', '?news=auth_failed', '?reason=too_many'])(
  '%j tells nothing',
  (search) => expect(noticeOf(search)).toBeNull(),
)

test.each([
  ['/editor', '', true, '/?news=signed_out&return_to=%2Feditor'],
  ['/editor', '', false, '/?news=sign_in&return_to=%2Feditor'],
  [
    '/sites/a%3Ab',
    '?x=1&y=%26',
    false,
    '/?news=sign_in&return_to=%2Fsites%2Fa%253Ab%3Fx%3D1%26y%3D%2526',
  ],
])('the sign-in comes back to %s%s', (pathname, search, wasSignedIn, address) => {
  expect(signInAddress({ pathname, search }, wasSignedIn)).toBe(address)
})
