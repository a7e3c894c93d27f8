import { expect, test } from 'bun:test'
import { IdentityError } from '#atproto/identity/identity.ts'
import { SyncsBusyError } from '#ingest/account-syncs.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { accountOf } from '#tests/support/database/sample-rows.ts'
import { errorOfThread, threadFailureOf } from './thread-failure.ts'

const method = 'com.atproto.repo.listRecords'
const refusal = { status: 503, data: { error: 'NotNow', message: 'later' } }

const full = Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' })

const errors: [string, Error, Error][] = [
  ['busy', new SyncsBusyError(), new SyncsBusyError()],
  ['unreachable', new ServerUnreachableError(method), new ServerUnreachableError(method)],
  ['unknown', new IdentityError(accountOf(1), 'no document'), new ServerUnreachableError(method)],
  ['refused', new ServerRefusedError(method, refusal), new ServerRefusedError(method, refusal)],
  ['unusable', new UnusableAnswerError(method, 'x.y'), new UnusableAnswerError(method, 'x.y')],
  [
    'database away',
    new DatabaseUnavailableError('sqlite', full),
    new DatabaseUnavailableError('sqlite', full),
  ],
  ['unexpected', new TypeError('of ours'), new Error('TypeError: of ours')],
]

test.each(errors)('%s: in another thread what it was', (_, error, expected) => {
  const revived = errorOfThread(structuredClone(threadFailureOf(error)))
  expect(revived.constructor).toBe(expected.constructor)
  expect(revived.message).toBe(expected.message)
  expect({ ...revived }).toEqual({ ...expected })
})

test('an unexpected one keeps the stack of where it happened', () => {
  const error = new TypeError('of ours')
  const revived = errorOfThread(structuredClone(threadFailureOf(error)))
  expect(revived.stack).toStartWith('TypeError: of ours\n')
  expect(revived.stack).toContain('thread-failure.test.ts')
})
