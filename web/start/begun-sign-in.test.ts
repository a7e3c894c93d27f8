import { expect, test } from 'bun:test'
import { signInToBegin } from './begun-sign-in.ts'

const kept = JSON.stringify({ handle: 'bob.test', returnTo: '/sites/blog' })

test('the back button brings what was entered', () => {
  expect(signInToBegin('', kept, true)).toEqual({ handle: 'bob.test', returnTo: '/sites/blog' })
})

test.each([
  ['', null, '', null],
  ['', kept, '', null],
  ['?error=auth_failed', null, '', null],
  ['?error=auth_failed', kept, 'bob.test', '/sites/blog'],
  ['?handle=alice.test&return_to=%2Feditor', kept, 'alice.test', '/editor'],
  ['?error=auth_failed&handle=alice.test', kept, 'alice.test', '/sites/blog'],
  ['?news=sign_in&return_to=%2Fsites%2Fa%3Fb%3Dc', kept, '', '/sites/a?b=c'],
])(
  '%j, with %p before, begins with %j and comes back to %p',
  (search, before, handle, returnTo) => {
    expect(signInToBegin(search, before)).toEqual({ handle, returnTo })
  },
)
