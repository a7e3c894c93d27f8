import { expect, test } from 'bun:test'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { isInOrder, repairLines } from './repair.ts'

const report = {
  site: siteOf('blog'),
  status: 'active',
  outcome: 'already-live',
  recordCid: 'bafy',
  files: 3,
  intactFiles: 3,
  findings: [],
} as const
const head = ['site     at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/place.sitehost.fs/blog']

test('nothing wrong', () => {
  expect(isInOrder(report)).toBe(true)
  expect(repairLines(report)).toEqual([
    ...head,
    'account  active',
    'record   bafy',
    'files    3 of 3 intact',
    'nothing was wrong',
  ])
})

test('everything repaired', () => {
  const repaired = { ...report, findings: [{ what: 'a file was gone', isRepaired: true }] }
  expect(isInOrder(repaired)).toBe(true)
  expect(repairLines(repaired).slice(4)).toEqual([
    'repaired a file was gone',
    'everything was repaired',
  ])
})

test('some of it not', () => {
  const findings = [
    { what: 'a file was gone', isRepaired: true },
    { what: 'the source could not be read', isRepaired: false },
  ]
  const left = { ...report, status: null, recordCid: null, intactFiles: 2, findings }
  expect(isInOrder(left)).toBe(false)
  expect(repairLines(left)).toEqual([
    ...head,
    'account  not known: its server could not be asked',
    'record   none live here',
    'files    2 of 3 intact',
    'repaired a file was gone',
    'wrong    the source could not be read',
    '1 of 2 could not be repaired',
  ])
})
