import { expect, test } from 'bun:test'
import { describeJob, type JobUpdate } from './job.ts'

const descriptions: [JobUpdate['status'], Partial<JobUpdate['progress']>, string, number | null][] =
  [
    ['pending', {}, 'Waiting to start', null],
    [
      'pending',
      { phase: 'uploading', filesUploaded: 3 },
      'Waiting for your account’s server. This continues automatically.',
      null,
    ],
    ['processing', { phase: 'validating' }, 'Prepared 0 of 10 files', 0],
    ['processing', { phase: 'compressing', filesProcessed: 5 }, 'Prepared 5 of 10 files', 0.25],
    [
      'uploading',
      { phase: 'uploading', filesProcessed: 6, filesUploaded: 1, filesReused: 4 },
      'Stored 5 of 10 files',
      0.75,
    ],
    ['processing', { phase: 'compressing', filesReused: 10 }, 'Prepared 10 of 10 files', 1],
    ['uploading', { phase: 'uploading', filesReused: 10 }, 'Stored 10 of 10 files', 1],
    ['uploading', { phase: 'creating_manifest' }, 'Writing the new version', 1],
    ['uploading', { phase: 'finalizing' }, 'Putting it online', 1],
    ['processing', { phase: 'validating', totalFiles: 0 }, 'Prepared 0 of 0 files', null],
  ]

const emptyProgress: JobUpdate['progress'] = {
  phase: 'validating',
  totalFiles: 10,
  filesProcessed: 0,
  filesUploaded: 0,
  filesReused: 0,
  currentFile: null,
  bytesTotal: 0,
  bytesUploaded: 0,
}

test.each(descriptions)('%s %j reads %j', (status, progress, text, fraction) => {
  const update: JobUpdate = {
    ...{ status, error: null },
    progress: { ...emptyProgress, ...progress },
  }
  expect(describeJob(update)).toEqual({ text, fraction })
})

test('a job that waits for a fault of ours says which', () => {
  const error = 'This service cannot store files at the moment.'
  expect(describeJob({ status: 'pending', progress: emptyProgress, error })).toEqual({
    text: error,
    fraction: null,
  })
})
