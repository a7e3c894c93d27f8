import { expect, test } from 'bun:test'
import { defaultSettings, parseSettings } from '#site/record/settings.ts'
import { draftOf, type SettingsDraft, settingsOf } from './settings-draft.ts'

const plain: SettingsDraft = {
  ...{ cleanUrls: false, trailingSlash: '', indexFiles: 'index.html', whenMissing: 'notFound' },
  ...{ spaMode: 'index.html', custom404: '404.html' },
}

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
  [{ cleanUrls: 1, trailingSlash: 'x', indexFiles: 'x' }, {}],
]
test.each(records)('%j in the form, and what it makes can be saved', (record, draft) => {
  expect(draftOf(record)).toEqual({ ...plain, ...draft })
  expect(parseSettings(settingsOf(draftOf(record), record)).ok).toBe(true)
})

test('of the choices that exclude each other one is saved', () => {
  const draft: SettingsDraft = { ...plain, whenMissing: 'custom404', custom404: ' /oh/no.html ' }
  expect(settingsOf(draft, { directoryListing: true, spaMode: 'index.html' })).toMatchObject({
    ...{ directoryListing: false, spaMode: '', custom404: 'oh/no.html' },
  })
})

test('names with commas between them are a list', () => {
  expect(settingsOf({ ...plain, indexFiles: 'a.html,, b.html ' }, {}).indexFiles).toEqual([
    ...['a.html', 'b.html'],
  ])
  expect(settingsOf({ ...plain, indexFiles: ' ' }, {}).indexFiles).toEqual([])
})

test('what the form does not have stays', () => {
  const headers = [{ name: 'X-Robots-Tag', value: 'noindex' }]
  expect(settingsOf(plain, { headers }).headers).toEqual(headers)
})
