import { describe, expect, test } from 'bun:test'
import { parseJobPlan } from './job-plan.ts'

const file = { path: 'a/index.html', pack: 'p', offset: 0, bytes: 5, sha256: 'ab' }
const held = { path: 'b.html', pack: null, bytes: 5, sha256: 'cd' }
const plan = {
  files: [file, held],
  skippedFiles: [{ name: '.git', reason: 'a dot file' }],
  retain: false,
  changes: { version: '3mkq2vtpdbk2c', remove: ['c.html'], into: null },
  settings: { $type: 'place.sitehost.settings', cleanUrls: true },
}

test('a plan is read as it was written', () => {
  expect(parseJobPlan(JSON.stringify(plan))).toEqual(plan as never)
})

test('one of before assets could go out of sight keeps them; fields that are not known are nothing', () => {
  const old = { files: [file], skippedFiles: [], replaces: 'bafy' }
  expect(parseJobPlan(JSON.stringify(old))).toEqual({
    files: [file],
    skippedFiles: [],
    retain: true,
    changes: null,
    settings: null,
  } as never)
})

test('changes of before a version could be their base are those of the live site', () => {
  const changes = { remove: ['c.html'], into: null }
  const read = parseJobPlan(JSON.stringify({ ...plan, changes }))
  expect(read?.changes).toEqual({ ...changes, version: null } as never)
})

describe('null for', () => {
  test.each([
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', 'null'],
    ['no files', JSON.stringify({ skippedFiles: [] })],
    ['a path that is none', JSON.stringify({ ...plan, files: [{ ...file, path: '../a' }] })],
    ['a file without its pack', JSON.stringify({ ...plan, files: [{ ...file, pack: undefined }] })],
    ['an offset below 0', JSON.stringify({ ...plan, files: [{ ...file, offset: -1 }] })],
  ])('%s', (_, text) => expect(parseJobPlan(text)).toBeNull())
})
