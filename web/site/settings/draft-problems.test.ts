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
const answers: [string | null, string | null][] = [
  ['indexFiles.0', 'indexFiles'],
  ['headers.0.path', 'headers.7.path'],
  ['headers.0', 'headers.7.name'],
  ['headers.4.path', null],
  ['history.keep', 'keep'],
  ['rkey', null],
  [null, null],
]
test.each(answers)('a problem of %j is said at %j', (field, at) => {
  const message = 'Enter something else.'
  const problems = problemOfAnswer({ field, message }, { ...plain, headers: rows })
  expect(problems).toEqual(at === null ? null : { [at]: message })
})
