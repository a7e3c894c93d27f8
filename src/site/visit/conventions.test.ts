import { expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteName } from '#site/site-name.ts'
import { settingsForConventions } from './conventions.ts'

const both = ['index.html', 'index.htm']
type Fields = Omit<SiteSettings, '$type'>
const rows: [what: string, said: Fields | null, paths: string[], expected: Fields | null][] = [
  ['what ours do as well', null, ['index.html', 'a/index.html', '404.html'], null],
  ['its index files', null, ['a/index.htm'], { indexFiles: both }],
  [
    'but not in place of those of its settings',
    { indexFiles: ['x'] },
    ['index.htm'],
    { indexFiles: ['x'] },
  ],
  ['its page for 404', null, ['not_found.html'], { custom404: 'not_found.html' }],
  ['but not below the root', null, ['a/not_found.html'], null],
  ['nor where there is ours', null, ['404.html', 'not_found.html'], null],
  [
    'nor next to a listing',
    { directoryListing: true },
    ['not_found.html'],
    { directoryListing: true },
  ],
]

test.each(rows)('%s', (_, said, paths, expected) => {
  const name = 'place.wisp.fs/blog' as SiteName
  const withType = (fields: Fields | null): SiteSettings | null =>
    fields && { $type: 'place.sitehost.settings', ...fields }
  const settings = settingsForConventions(name, withType(said), new Set(paths as SitePath[]))
  expect(settings).toEqual(withType(expected))
})
