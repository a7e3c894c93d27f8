import { expect, test } from 'bun:test'
import { defaultSettings, parseSettings } from '#site/record/settings.ts'
import { draftOf, isSameDraft, type SettingsDraft, settingsOf } from './settings-draft.ts'

const plain: SettingsDraft = {
  cleanUrls: false,
  trailingSlash: 'auto',
  indexFiles: 'index.html',
  whenMissing: 'notFound',
  spaMode: 'index.html',
  custom404: '404.html',
  headers: [],
  keep: '10',
}
const noindex = { name: 'X-Robots-Tag', value: 'noindex' }

const records: [Record<string, unknown>, Partial<SettingsDraft>][] = [
  [{}, {}],
  [defaultSettings, {}],
  [
    { cleanUrls: true, trailingSlash: 'never' },
    { cleanUrls: true, trailingSlash: 'never' },
  ],
  [{ indexFiles: ['a.html', 'b.html'] }, { indexFiles: 'a.html, b.html' }],
  [{ spaMode: 'app.html' }, { whenMissing: 'spaMode', spaMode: 'app.html' }],
  [
    { spaMode: '', custom404: 'no.html' },
    { whenMissing: 'custom404', custom404: 'no.html' },
  ],
  [{ directoryListing: true }, { whenMissing: 'directoryListing' }],
  [{ cleanUrls: 1, trailingSlash: 'x', indexFiles: 'x', headers: 'x', history: 'x' }, {}],
  [
    { headers: [noindex, { ...noindex, path: '*.html' }] },
    {
      headers: [
        { ...noindex, id: 0, path: '' },
        { ...noindex, id: 1, path: '*.html' },
      ],
    },
  ],
  [{ history: { keep: 0 } }, { keep: '0' }],
]
test.each(records)('%j in the form, and what it makes can be saved', (record, draft) => {
  expect(draftOf(record)).toEqual({ ...plain, ...draft })
  expect(parseSettings(settingsOf(draftOf(record), record)).ok).toBe(true)
})

test('of the choices that exclude each other one is saved', () => {
  const draft: SettingsDraft = { ...plain, whenMissing: 'custom404', custom404: 'oh/no.html' }
  expect(settingsOf(draft, { directoryListing: true, spaMode: 'index.html' })).toMatchObject({
    directoryListing: false,
    spaMode: '',
    custom404: 'oh/no.html',
  })
})

test('names with commas between them are a list', () => {
  const namesOf = (indexFiles: string) => settingsOf({ ...plain, indexFiles }, {}).indexFiles
  expect(namesOf('a.html,, b.html ')).toEqual(['a.html', 'b.html'])
  expect(namesOf(' ')).toEqual([])
})

test('a row of headers counts as soon as something is typed in it', () => {
  const rows = [
    { id: 1, path: '', name: ' ', value: '' },
    { id: 2, path: ' *.html ', name: ' X-A ', value: ' 1 ' },
    { id: 3, path: '', name: 'X-B', value: '' },
  ]
  expect(settingsOf({ ...plain, headers: rows }, {}).headers).toEqual([
    { name: 'X-A', value: '1', path: '*.html' },
    { name: 'X-B', value: '' },
  ])
})

test('what the form does not have stays', () => {
  const record = { later: 1, history: { later: 2 } }
  expect<object>(settingsOf({ ...plain, keep: '3' }, record)).toMatchObject({
    later: 1,
    history: { later: 2, keep: 3 },
  })
})

test('a draft that means the same is not a change', () => {
  expect(isSameDraft(plain, { ...plain, indexFiles: ' index.html,' })).toBe(true)
  expect(isSameDraft(plain, { ...plain, spaMode: 'chosen-then-not.html' })).toBe(true)
  expect(isSameDraft(plain, { ...plain, keep: '11' })).toBe(false)
})
