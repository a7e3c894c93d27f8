import { describe, expect, test } from 'bun:test'
import { IdentityError } from '#atproto/identity/identity.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { CommitUnknownError } from './commit-on-head.ts'
import { NotPublishableError } from './not-publishable.ts'
import { failureSentence } from './publish-failure.ts'
import { BlobRefusedError } from './upload-blobs.ts'

const refusal = (status: number, message = 'no') =>
  new ServerRefusedError('com.atproto.repo.putRecord', { status, data: { error: 'E', message } })

describe('what the owner of a failed job reads', () => {
  const facts: [unknown, string | null][] = [
    [new NotPublishableError('Too large for your server.'), 'Too large for your server.'],
    [new SessionEndedError(alice), 'Sign in again'],
    [new ServerUnreachableError('uploadBlob'), 'did not answer'],
    [new UnusableAnswerError('uploadBlob', 'blob'), 'cannot use (uploadBlob: blob). Nothing was'],
    [
      new CommitUnknownError(alice, { cause: new UnusableAnswerError('m', 'results') }),
      'cannot use (m: results). The site may be published or not',
    ],
    [new IdentityError(alice, 'away'), 'did not answer'],
    [refusal(413), 'too large'],
    [refusal(429), 'no more'],
    [refusal(500), 'has a fault'],
    [refusal(503), 'has a fault'],
    [refusal(400, 'InvalidMimeType'), 'refused the site: InvalidMimeType'],
    [new BlobRefusedError('a/b.png', 'other cid'), 'did not store a/b.png'],
    [new BlobStorageError('full', {}), 'database, disk or network was not available'],
    [new TypeError('x is undefined'), null],
    ['oops', null],
  ]
  for (const [error, sentence] of facts) {
    test(`${error}: ${sentence}`, () => {
      if (sentence === null) expect(failureSentence(error)).toBeNull()
      else expect(failureSentence(error)).toContain(sentence)
    })
  }
  test('a server’s own words are cut', () => {
    expect(failureSentence(refusal(400, 'x'.repeat(5000)))?.length).toBeLessThan(300)
  })
})
