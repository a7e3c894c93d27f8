import { describe, expect, test } from 'bun:test'
import {
  ActorResolutionError,
  DidNotFoundError,
  DocumentNotFoundError,
  FailedDocumentResolutionError,
  FailedHandleResolutionError,
} from '@atcute/identity-resolver'
import { OAuthCallbackError, OAuthResolverError } from '@atcute/oauth-node-client'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { FetchLimitError } from '#outbound/safe-fetch.ts'
import { SignInError, type SignInFailure, signInErrorOf } from './sign-in-error.ts'

const refusedConnection = Object.assign(new Error('refused'), { code: 'ConnectionRefused' })
const tooSlow = new FetchLimitError('headers', 'https://pds.example/')
const actor = (cause: unknown) => new ActorResolutionError('alice.test', { cause })
const unknownHandle = new DidNotFoundError('alice.test')
const silentHandle = new FailedHandleResolutionError('alice.test', { cause: tooSlow })
const strangeHandle = new FailedHandleResolutionError('alice.test', { cause: new Error('500') })
const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const unknownDocument = new DocumentNotFoundError(did)
const silentDocument = new FailedDocumentResolutionError(did, { cause: refusedConnection })
const inResolver = (cause: unknown) => new OAuthResolverError('no server', { cause })

describe('the failure that a user sees', () => {
  const facts: [string, unknown, SignInFailure][] = [
    ['pressed deny', new OAuthCallbackError('access_denied'), 'denied'],
    ['the server ended it', new OAuthCallbackError('server_error'), 'expired'],
    [
      'another account than the named one',
      new OAuthCallbackError('invalid_request', 'sub mismatch'),
      'other-account',
    ],
    ['a reused state', new OAuthCallbackError('invalid_request', 'unknown state'), 'expired'],
    ['an unknown handle', actor(unknownHandle), 'unknown-handle'],
    ['a handle whose server says something else', actor(strangeHandle), 'unknown-handle'],
    ['a handle whose server is silent', actor(silentHandle), 'server-unreachable'],
    ['an unknown DID', actor(unknownDocument), 'unknown-account'],
    ['a DID whose directory is silent', actor(silentDocument), 'server-unreachable'],
    [
      'the same, while the server was looked for',
      inResolver(actor(unknownHandle)),
      'unknown-handle',
    ],
    ['a server without sign-in', inResolver(new Error('404')), 'server-unreachable'],
    ['a server that is not there', refusedConnection, 'server-unreachable'],
    ['a server that is slow', tooSlow, 'server-unreachable'],
    ['a server that many wait for', inResolver(new SemaphoreBusyError('pds.test')), 'server-busy'],
    ['anything else', new Error('?'), 'server-refused'],
    ['what is no error', 'oops', 'server-refused'],
  ]
  for (const [what, error, failure] of facts) {
    test(`${what}: ${failure}`, () => {
      expect(signInErrorOf(error)).toMatchObject({ failure, cause: error })
    })
  }
  test('a SignInError stays as it is', () => {
    const error = new SignInError('scopes-missing')
    expect(signInErrorOf(error)).toBe(error)
  })
})
