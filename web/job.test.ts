import { expect, test } from 'bun:test'
import { describeJob, type JobUpdate } from './job.ts'

const descriptions: [JobUpdate['status'], Partial<JobUpdate['progress']>, string, number | null][] =
  [
    ['pending', {}, 'Waiting for its turn', null],
    [
      'pending',
      { phase: 'uploading', filesUploaded: 3 },
      'Waiting for your account’s server; goes on by itself',
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

test.each(descriptions)('%s %j reads %j', (status, progress, text, fraction) => {
  const none = {
    filesProcessed: 0,
    filesUploaded: 0,
    filesReused: 0,
    currentFile: null,
    bytesTotal: 0,
    bytesUploaded: 0,
  }
  const update: JobUpdate = {
    status,
    progress: { phase: 'validating', totalFiles: 10, ...none, ...progress },
  }
  expect(describeJob(update)).toEqual({ text, fraction })
})
