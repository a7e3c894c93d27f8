import { expect } from 'bun:test'
import { aTime } from './like.ts'
import type { Row } from './row.ts'

const deletion = { route: 'DELETE /api/user', section: 'ours' } as const

/** Export and account deletion. That everything is removed: tests/account-deletion. */
export const accountDeletionRows: readonly Row[] = [
  {
    route: 'GET /api/user/export',
    section: 'ours',
    what: 'everything that is here of somebody without sites',
    by: 'dora',
    status: 200,
    body: {
      made: aTime,
      account: {
        ...{ did: '{dora}', handle: 'dora.test', pds: expect.any(String), status: 'active' },
        ...{ createdAt: aTime, updatedAt: aTime },
      },
      ...{
        sites: [],
        sitehostDomains: [],
        keptNames: expect.any(Array),
        customDomains: [],
        jobs: [],
        deploys: [],
        deployTokens: [],
        publishers: [],
        webhooks: [],
        webhookDeliveries: [],
        versionRecords: [],
      },
      sessions: expect.any(Array),
      ...{ uploadedBlobs: [], receivedBlobs: [], traffic: [], waiting: [], complete: true },
    },
    answerHeaders: {
      'content-disposition': expect.stringMatching(
        /^attachment; filename="sitehost-dora\.test-\d{4}-\d\d-\d\d\.json"$/,
      ),
    },
  },
  {
    route: 'GET /api/user/export',
    section: 'ours',
    what: 'nobody is signed in',
    by: 'nobody',
    ...{ status: 401, body: { error: 'Unauthorized' } },
  },
  {
    ...deletion,
    what: 'nobody is signed in',
    by: 'nobody',
    ...{ status: 401, body: { error: 'Unauthorized' } },
  },
  {
    ...deletion,
    what: 'something else than whether the records go too',
    by: 'dora',
    json: { records: 'yes' },
    status: 400,
    body: { error: expect.stringMatching(/^records: /) },
  },
  {
    ...deletion,
    what: 'while a site is being published',
    by: 'alice',
    given: (scene) => scene.running('alice', 'under-way'),
    status: 409,
    body: {
      error: 'A site of yours is being published. Wait until that has finished, or cancel it.',
    },
  },
]
