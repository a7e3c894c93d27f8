import { expect, test } from 'bun:test'
import { BlobLostError } from '#blobs/blob-store.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { ruleProblems } from '#site/rules/rule-problems.ts'
import { storedFile } from '#tests/support/visitors/served-site.ts'
import { readRuleFiles } from './read-rule-files.ts'

// What becomes of the files' texts is told by `ingest-site.test.ts`.

test('a site without rule files asks the store for nothing', async () => {
  const files = new Map([['blog/_redirects', storedFile({ body: '/a /b' }).file]])
  const open = () => Promise.reject(new Error('not reached'))
  const nothing = { redirects: '', headers: '', problems: [] }
  expect(await readRuleFiles(files, null, { open })).toEqual(nothing)
})

test('a verified blob that is lost meanwhile is no empty file', async () => {
  const { file } = storedFile({ body: '/a /b' })
  const reading = readRuleFiles(new Map([['_redirects', file]]), null, { open: async () => null })
  await expect(reading).rejects.toBeInstanceOf(BlobLostError)
})

const $type = 'place.sitehost.settings'
const settingsWith = (path: string): SiteSettings => ({
  $type,
  headers: [{ name: 'X-One', value: '1', path }],
})

const facts: [string, string, string, SiteSettings | null, RegExp[]][] = [
  ['no rules', '', '', null, []],
  ['good ones', '/a /b', '/*\n  X-One: 1', settingsWith('/*'), []],
  ['a bad redirect', '# ours\n/a /b\n/c /d 999', '', null, [/^_redirects, line 3: ./]],
  ['a bad header', '', '/*\n  Content-Length: 1', null, [/^_headers, line 2: ./]],
  [
    'a bad path in the settings',
    '',
    '',
    settingsWith('/:a/:a'),
    [/^settings, headers\.0\.path: ./],
  ],
  [
    'some of each, in this order',
    'x',
    'x',
    settingsWith('/:a/:a'),
    [/^_redirects, line 1/, /^_headers, line 1/, /^settings, /],
  ],
]
test.each(facts)('%s', (_, redirects, headers, settings, expected) => {
  const problems = ruleProblems({ redirects, headers, settings })
  expect(problems).toEqual(expected.map((pattern) => expect.stringMatching(pattern)))
})
