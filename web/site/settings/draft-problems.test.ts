import { expect, test } from 'bun:test'
import '#web/words/own-settings.ts'
import { problemOfAnswer, problemsOfDraft } from './draft-problems.ts'
import { draftOf, type SettingsDraft } from './settings-draft.ts'

const plain = draftOf({})
const header = (name: string, value = '1') => [{ id: 7, path: '', name, value }]

const drafts: [Partial<SettingsDraft>, string[]][] = [
  [{}, []],
  [{ keep: '' }, ['keep']],
  [{ keep: '51' }, ['keep']],
  [{ keep: '50' }, []],
  [{ keep: '-1' }, ['keep']],
  [{ custom404: '' }, []],
  [{ whenMissing: 'custom404', custom404: '' }, ['custom404']],
  [{ headers: header('X-A') }, []],
  [{ headers: header('') }, ['headers.7.name']],
  [{ headers: header('X A') }, ['headers.7.name']],
  [{ headers: header('Content-Length') }, ['headers.7.name']],
  [{ headers: header('X-A', 'é') }, ['headers.7.value']],
  [{ headers: [{ id: 7, path: ' ', name: '', value: '' }] }, []],
]
test.each(drafts)('%j has problems at %j', (draft, fields) => {
  expect(Object.keys(problemsOfDraft({ ...plain, ...draft }))).toEqual(fields)
})

const rows = [
  { id: 3, path: '', name: '', value: '' },
  { id: 7, path: '', name: 'X-A', value: '1' },
]
const answers: [string, Record<string, string> | null][] = [
  [
    'indexFiles.0: expected the name of a file, without a folder',
    { indexFiles: 'Expected the name of a file, without a folder' },
  ],
  ['headers.0.path: expected a pattern', { 'headers.7.path': 'Expected a pattern' }],
  ['headers.4.path: expected a pattern', null],
  ['history.keep: expected a number', { keep: 'Expected a number' }],
  ['The site changed meanwhile.', null],
]
test.each(answers)('%j is said at %j', (message, problems) => {
  expect(problemOfAnswer(message, { ...plain, headers: rows })).toEqual(problems)
})
