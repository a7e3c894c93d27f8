import { expect, test } from 'bun:test'
import type { SiteSettings } from '#site/record/settings.ts'
import { ruleProblems } from './rule-problems.ts'

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
