import { removedSites } from '#tests/support/database/sample-rows.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { mebibyte } from '../support/api.ts'
import { aCid, aJobId, like } from './like.ts'
import type { Row } from './row.ts'
import { page, type Scene } from './scene.ts'
import type { PersonName } from './stage.ts'

const progressRoute = 'GET /sitehost/upload-progress/:jobId'
const cancelRoute = 'DELETE /sitehost/upload-progress/:jobId'
const path = '/sitehost/upload-progress/{jobId}'
const unknownJob = '/sitehost/upload-progress/00000000-0000-4000-8000-000000000000'
const upload = { route: 'POST /sitehost/upload-files', by: 'alice' } as const

const jobNotFound = { status: 404, body: { error: 'Job not found' } }
const notYours = { status: 403, body: { error: 'Unauthorized' } }

const noFilesYet = { totalFiles: 1, bytesTotal: '<h1>done</h1>'.length, currentFile: null }
const done = {
  success: true,
  uri: 'at://{alice}/place.sitehost.fs/finished',
  cid: aCid,
  fileCount: 1,
  siteName: 'finished',
  url: like('http://s--[a-z2-7]{26}\\.{base}:\\d+/'),
  live: true,
  uploadedCount: 1,
  reusedCount: 0,
  skippedFiles: [{ name: '.env', reason: like('.+') }],
  versionId: like('[a-z2-7]{13}'),
  versionUrl: like('http://v--[a-z2-7]{26}\\.{base}:\\d+/'),
  previewUrl: null,
  versionProblem: null,
  sizeNotice: null,
}
const completed = {
  status: 'completed',
  progress: {
    ...{ phase: 'done', ...noFilesYet },
    ...{ filesProcessed: 1, filesUploaded: 1, filesReused: 0, bytesUploaded: 13 },
  },
  result: done,
  error: null,
}
const cancelled = 'The upload was cancelled. Nothing was published.'

async function finished(scene: Scene): Promise<void> {
  await scene.upload('alice', 'finished', [...page('done'), textFile('.env', 'SECRET=1')])
  await scene.stage.people.alice.client.watch(scene.facts['jobId'] ?? '')
}

async function cancelledJob(scene: Scene): Promise<void> {
  await scene.held('alice', 'cancelled')
  await scene.do('alice', 'DELETE', `/sitehost/upload-progress/${scene.facts['jobId']}`)
}

/** Streams that nobody reads, until the scene ends. */
async function openStreams(scene: Scene, jobId: string, count: number): Promise<void> {
  const { client } = scene.stage.people.alice
  for (let n = 0; n < count; n++) {
    const { body } = await client.fetch(`/sitehost/upload-progress/${jobId}`)
    // This keeps the answer, too: Bun closes the connection of one that was garbage-collected.
    scene.after(() => body?.cancel())
  }
}

/** §4.5's stream, and cancelling, with decisions.md §7. */
export const progressRows: readonly Row[] = [
  {
    route: progressRoute,
    section: '4.5',
    what: 'a job that has ended: its last state, then its result',
    by: 'alice',
    given: finished,
    path,
    status: 200,
    body: [
      ['progress', completed],
      ['done', done],
    ],
    answerHeaders: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  },
  {
    route: progressRoute,
    section: '4.5',
    what: 'a job that has failed: its last state, then why',
    by: 'alice',
    given: cancelledJob,
    path,
    status: 200,
    body: [
      [
        'progress',
        {
          status: 'failed',
          progress: {
            phase: like('validating|compressing|uploading'),
            ...{ totalFiles: 1, filesProcessed: 0, filesUploaded: 0, filesReused: 0 },
            ...{ bytesTotal: 45, bytesUploaded: 0, currentFile: null },
          },
          result: null,
          error: cancelled,
        },
      ],
      ['error', { error: cancelled }],
    ],
  },
  {
    route: progressRoute,
    section: '4.5',
    situation: 'Progress stream for unknown job',
    what: 'a job that nobody has',
    by: 'alice',
    path: unknownJob,
    ...jobNotFound,
  },
  {
    route: progressRoute,
    section: '4.5',
    what: 'what cannot be the id of a job',
    by: 'alice',
    path: '/sitehost/upload-progress/%00',
    ...jobNotFound,
  },
  {
    route: progressRoute,
    section: '4.5',
    situation: 'Progress stream for a job of another user',
    what: 'another account’s job',
    by: 'bob',
    given: finished,
    path,
    ...notYours,
  },
  {
    route: progressRoute,
    section: 'decisions 7',
    what: 'a fifth stream of one job',
    by: 'alice',
    given: async (scene) => {
      await scene.held('alice', 'held')
      await openStreams(scene, scene.facts['jobId'] ?? '', 4)
    },
    path,
    ...{ status: 429, body: { error: 'Too many streams are open.' } },
    answerHeaders: { 'retry-after': '5' },
  },
  {
    route: progressRoute,
    section: 'decisions 7',
    what: 'a ninth stream of one account',
    by: 'alice',
    given: async (scene) => {
      for (const name of ['one', 'two', 'jobId']) await scene.held('alice', `held-${name}`, name)
      await openStreams(scene, scene.facts['one'] ?? '', 4)
      await openStreams(scene, scene.facts['two'] ?? '', 4)
    },
    path,
    ...{ status: 429, body: { error: 'Too many streams are open.' } },
  },
  {
    route: cancelRoute,
    section: 'ours',
    what: 'a job that has not begun to write ends',
    by: 'alice',
    given: (scene) => scene.running('alice', 'cancelled'),
    path,
    ...{ status: 200, body: { success: true } },
  },
  {
    route: cancelRoute,
    section: 'ours',
    what: 'one that has ended',
    by: 'alice',
    given: finished,
    path,
    ...{ status: 409, body: { error: 'This upload has ended already.' } },
  },
  {
    route: cancelRoute,
    section: 'ours',
    what: 'a job that nobody has',
    by: 'alice',
    path: unknownJob,
    ...jobNotFound,
  },
  {
    route: cancelRoute,
    section: 'ours',
    what: 'another account’s job',
    by: 'bob',
    given: finished,
    path,
    ...notYours,
  },
]

type Field = readonly [name: string, value: string | Blob, file?: string]

const formOf = (fields: readonly Field[]) => (): FormData => {
  const form = new FormData()
  for (const [name, value, file] of fields) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, file)
  }
  return form
}
const named = (siteName: string): Field => ['siteName', siteName]
const file = (name: string, body = '<h1>new</h1>'): Field => ['files', new Blob([body]), name]

const badSiteName =
  'siteName must be 1 to 512 letters, digits or . _ ~ : - and may not be a dot or two dots.'

/** What is refused, and why: 400 for what is wrong, 413 for what is too much. */
const refusals: [status: 400 | 413, error: string, fields: Field[]][] = [
  [400, badSiteName, [['other', 'x']]],
  [400, badSiteName, [named('a b'), file('index.html')]],
  [400, badSiteName, [named('..'), file('index.html')]],
  [400, badSiteName, [named('a'.repeat(513)), file('index.html')]],
  [400, 'siteName must come before the files.', [file('index.html'), named('new')]],
  [400, 'Bad file path "../x.html": dot segment.', [named('new'), file('../x.html')]],
  [400, 'Bad file path "a//b": empty segment.', [named('new'), file('a//b')]],
  [400, 'Bad file path "/etc/passwd": absolute.', [named('new'), file('/etc/passwd')]],
  [400, 'Bad file path "a\\\\b": backslash.', [named('new'), file('a\\b')]],
  [400, 'Bad file path "a\\u0001b": control character.', [named('new'), file('a\u0001b')]],
  [
    400,
    `Bad file path ${JSON.stringify('a'.repeat(256))}: over 255 bytes.`,
    [named('new'), file('a'.repeat(256))],
  ],
  [400, 'The file "a.html" is there twice.', [named('new'), file('a.html'), file('a.html')]],
  [400, '"a" is both a file and a folder in this upload.', [named('new'), file('a'), file('a/b')]],
  [
    400,
    'Every file of this upload is one that is left out. Nothing was published.',
    [named('new'), file('.env')],
  ],
  [
    413,
    'A site can have at most 1,000 files; this upload has more.',
    [named('new'), ...Array.from({ length: 1001 }, (_, n) => file(`${n}.html`))],
  ],
  [
    413,
    '"big.bin" is larger than 1 MiB.',
    [named('new'), file('big.bin', 'b'.repeat(mebibyte + 1))],
  ],
  [
    413,
    'This site is larger than 1.6 MB: "two.bin" no longer fits.',
    [
      ...[named('new'), file('one.bin', 'b'.repeat(mebibyte))],
      file('two.bin', 'b'.repeat(mebibyte / 2 + 1)),
    ],
  ],
]

const started = {
  success: true,
  jobId: aJobId,
  message: like(
    'Upload started\\. Connect to /sitehost/upload-progress/[0-9a-f-]{36} to follow it\\.',
  ),
}

/** §4.5's upload, with decisions.md §7. */
export const uploadRows: readonly Row[] = [
  {
    ...upload,
    section: '4.5',
    what: 'no files: an empty site, at once',
    given: (scene) => removeInTheEnd(scene, 'alice', 'empty'),
    form: formOf([named('empty')]),
    status: 200,
    body: {
      ...{ success: true, uri: 'at://{alice}/place.sitehost.fs/empty', cid: aCid },
      ...{ fileCount: 0, siteName: 'empty' },
    },
  },
  {
    ...upload,
    section: '4.5',
    what: 'files: a job, and where to follow it',
    given: (scene) => removeInTheEnd(scene, 'alice', 'new'),
    form: formOf([named('new'), file('index.html')]),
    ...{ status: 200, body: started },
  },
  ...refusals.map(([status, error, fields], n) => ({
    ...upload,
    section: 'decisions 7' as const,
    what: `refusal ${n + 1}: ${error.slice(0, 80)}`,
    form: formOf(fields),
    ...{ status, body: { error } },
  })),
  {
    ...upload,
    section: 'decisions 7',
    what: 'no form',
    json: { siteName: 'new' },
    status: 400,
    body: { error: like('Not a complete form: .+') },
  },
  {
    ...upload,
    section: 'decisions 7',
    what: 'the same site while its job runs',
    given: (scene) => scene.held('alice', 'under-way'),
    form: formOf([named('under-way'), file('index.html')]),
    status: 409,
    body: { error: 'This site is being published already. Wait until that has finished.' },
  },
  {
    ...upload,
    section: 'decisions 7',
    what: 'another site while a job runs: it queues',
    given: async (scene) => {
      await removeInTheEnd(scene, 'alice', 'new')
      await scene.held('alice', 'under-way')
    },
    form: formOf([named('new'), file('index.html')]),
    ...{ status: 200, body: started },
  },
  {
    ...upload,
    section: 'decisions 7',
    what: 'a sixth that would wait',
    by: 'dora',
    given: async (scene) => {
      for (let n = 0; n < 6; n++) await scene.held('dora', `held-${n}`, `job${n}`)
    },
    form: formOf([named('one-too-many'), file('index.html')]),
    status: 429,
    body: { error: 'Too many uploads are waiting. Try again when one has finished.' },
    answerHeaders: { 'retry-after': '60' },
  },
  {
    ...upload,
    section: 'ours',
    what: 'a site more than an account may have',
    by: 'dora',
    given: (scene) => thousandSites(scene, 'dora'),
    form: formOf([named('one-too-many'), file('index.html')]),
    status: 403,
    body: {
      error:
        'An account can have 1000 sites here. Delete one; a day after that there is room for another.',
    },
  },
]

/** Removed a moment ago, and counted for a day. */
async function thousandSites(scene: Scene, who: PersonName): Promise<void> {
  const { database, people } = scene.stage
  const { did } = people[who]
  const rows = removedSites(1000, did).map((row) => ({ ...row, updatedAt: Date.now() }))
  await database.db.insertInto('sites').values(rows).execute()
  const ofThem = database.db.deleteFrom('sites').where('did', '=', did)
  scene.after(() => ofThem.where('label', 'is', null).execute())
}

/** What the row itself publishes goes again, once its job has ended. */
function removeInTheEnd(scene: Scene, who: PersonName, name: string): void {
  scene.after(() => scene.removeSite(who, name))
}
