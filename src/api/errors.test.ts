import { describe, expect, test } from 'bun:test'
import { Hono } from 'hono'
import { sentences } from '#api/contract/messages.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import { SignInError } from '#atproto/oauth/sign-in-error.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { CommitUnknownError, SiteConflictError } from '#publish/commit-on-head.ts'
import { ServerBusyError } from '#publish/server-patience.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { recordingLog } from '#tests/support/api.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import type { ApiEnv } from './context.ts'
import { ApiError, answerError, signInSentence } from './errors.ts'

const cause = new Error('inner detail')

async function answer(error: Error, failure?: { success: false }) {
  const lines: Parameters<typeof recordingLog>[0] = []
  const app = new Hono<ApiEnv>().onError(answerError(recordingLog(lines)))
  app.get('/', (c) => {
    c.set('failureFields', failure)
    throw error
  })
  const response = await app.request('/')
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, lines }
}

const system = (code: string) => Object.assign(new Error(`${code}: inner detail`), { code })
const unavailable = 'Storage is unavailable. Try again in a moment.'

describe('foreseen', () => {
  const facts: [Error, number, string, string?][] = [
    [new ApiError(409, 'Told as it is.'), 409, 'Told as it is.'],
    [new ApiError(429, 'Wait.', { 'retry-after': '7' }), 429, 'Wait.', '7'],
    [new UploadRefusedError('invalid', 'Bad path.', { cause }), 400, 'Bad path.'],
    [new UploadRefusedError('too-large', 'Too large.'), 413, 'Too large.'],
    [new SessionEndedError(alice, { cause }), 401, 'Unauthorized'],
    [
      new ServerUnreachableError('any', { cause: new SemaphoreBusyError('pds.test') }),
      503,
      sentences.requestsBusy,
      '5',
    ],
    [
      new ServerUnreachableError('com.atproto.repo.putRecord', { cause }),
      502,
      'Your account’s server did not answer. Try again in a few minutes.',
    ],
    [
      new UnusableAnswerError('com.atproto.repo.putRecord', 'cid', { cause }),
      502,
      'Your account’s server gave an answer that Sitehost cannot use (com.atproto.repo.putRecord: cid). Try again later, or tell whoever runs that server.',
    ],
    [
      new CommitUnknownError(alice, { cause: new UnusableAnswerError('m', 'results') }),
      502,
      'Your account’s server gave an answer that Sitehost cannot use (m: results). Try again later, or tell whoever runs that server.',
    ],
    [
      new CommitUnknownError(alice, { cause }),
      502,
      'Your account’s server did not answer. Try again in a few minutes.',
    ],
    [
      new ServerRefusedError('com.atproto.repo.putRecord', {
        status: 503,
        data: { error: 'inner detail' },
      }),
      502,
      'Your account’s server has a fault at the moment. Try again in a few minutes.',
    ],
    [
      new ServerRefusedError('com.atproto.repo.putRecord', {
        status: 400,
        data: { error: 'RepoDeactivated', message: 'Repo is deactivated' },
      }),
      502,
      'Your account’s server refused: Repo is deactivated',
    ],
    [
      new ServerBusyError(Date.UTC(2030, 0, 1)),
      429,
      'Your account’s server takes no more changes for now. Try again later.',
      'Tue, 01 Jan 2030 00:00:00 GMT',
    ],
    [
      new SiteConflictError(siteOf('blog'), { cause }),
      409,
      'This site was changed by another program meanwhile. Try again.',
    ],
    [new BlobStorageError('full', { cause }), 503, unavailable, '5'],
    [new DatabaseUnavailableError('sqlite', cause), 503, unavailable, '5'],
    [system('ENOSPC'), 503, unavailable, '5'],
    [system('EROFS'), 503, unavailable, '5'],
    [system('EMFILE'), 503, unavailable, '5'],
    [system('ENFILE'), 503, unavailable, '5'],
  ]
  for (const [error, status, message, retryAfter] of facts) {
    test(`${error.name}: ${status} ${message}`, async () => {
      const { headers, text, ...rest } = await answer(error)
      expect([rest.status, JSON.parse(text)]).toEqual([status, { error: message }])
      expect(headers.get('retry-after')).toBe(retryAfter ?? null)
    })
  }
})

describe('unexpected: logged under the id that is answered, and nothing of it shown', () => {
  for (const error of [
    new Error('inner detail', { cause }),
    system('EACCES'),
    new TypeError('x'),
  ]) {
    test(`${error}`, async () => {
      const { status, text, lines } = await answer(error)
      const body = JSON.parse(text)
      expect(status).toBe(500)
      expect(Object.keys(body)).toEqual(['error', 'id'])
      expect(body.error).toBe('Internal error')
      expect(text).not.toMatch(/inner detail|EACCES|TypeError|\.ts/)
      expect(lines).toEqual([
        {
          level: 'error',
          message: 'unhandled error',
          fields: { id: body.id, method: 'GET', path: '/', error },
        },
      ])
    })
  }
})

describe('where a failure says so in a field of its own', () => {
  const failure = { success: false } as const
  const facts: [Error, object][] = [
    [new ApiError(404, 'Site not found'), { success: false, error: 'Site not found' }],
    [new ApiError(401, 'Unauthorized'), { error: 'Unauthorized' }],
    [new SessionEndedError(alice), { error: 'Unauthorized' }],
    [cause, { success: false, error: 'Internal error', id: expect.any(String) }],
  ]
  for (const [error, body] of facts) {
    test(`${error.name}: ${Object.keys(body)}`, async () => {
      expect(JSON.parse((await answer(error, failure)).text)).toEqual(body)
    })
  }
})

describe('a sign-in that could not begin', () => {
  test('a sentence for every cause', () => {
    expect(signInSentence(new SignInError('unknown-handle', { cause }))).toBe(
      sentences.unknownHandle,
    )
  })

  test('nothing of what nobody foresaw', () => {
    expect(signInSentence(cause)).toBe('Something went wrong here. Try again in a minute.')
  })
})
