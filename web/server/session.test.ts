import { expect, test } from 'bun:test'
import { noticeOf } from './session.ts'

const notices: [string, kind: 'problem' | 'news', start: string][] = [
  ['?error=auth_failed', 'problem', 'Signing in did not work.'],
  ['?error=auth_failed&reason=too_many', 'problem', 'Too many sign-ins from your network.'],
  ['?error=auth_failed&reason=<b>', 'problem', 'Signing in did not work.'],
  ['?error=auth_failed&reason=not_allowed', 'problem', 'This service is not open'],
  ['?error=auth_failed&reason=invitation_over', 'problem', 'That invitation has been used'],
  ['?error=missing_handle', 'problem', 'Enter your handle'],
  ['?news=left', 'news', 'Your data here'],
  ['?news=invited', 'news', 'You are invited.'],
  ['?news=signed_out', 'news', 'Your sign-in has ended.'],
]
test.each(notices)('%j tells, as %s: %s', (search, kind, start) => {
  const notice = noticeOf(search)
  expect([notice?.kind, notice?.text.slice(0, start.length)]).toEqual([kind, start])
})

test.each(['', '?error=<script>', '?error=constructor', '?news=auth_failed', '?reason=too_many'])(
  '%j tells nothing',
  (search) => expect(noticeOf(search)).toBeNull(),
)
