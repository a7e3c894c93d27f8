import { expect, test } from 'bun:test'
import { noticeOf } from './session.ts'

const notices: [string, string | null][] = [
  ['?error=auth_failed', 'Signing in did not work.'],
  ['?error=missing_handle', 'Enter your handle'],
  ['?error=signed_out', 'Your sign-in has ended.'],
  ['?error=<script>', null],
  ['?error=constructor', null],
  ['', null],
]

test.each(notices)('%j tells %j', (search, start) => {
  expect(noticeOf(search)?.startsWith(start ?? '') ?? null).toBe(start === null ? null : true)
})
