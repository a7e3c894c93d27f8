import { describe, expect, test } from 'bun:test'
import { siteFileBytesMax } from '#site/limits.ts'
import { parseSiteFile } from './site-file.ts'

const parsed = (text: string): unknown => {
  const result = parseSiteFile(text)
  return result.ok ? result.file : result.problem
}

describe('a site file', () => {
  test('may be empty', () => {
    for (const text of ['{}', '{ "settings": {}, "ignore": [] }']) {
      expect(parsed(text)).toEqual({ instance: null, site: null, settings: null, ignore: [] })
    }
  })

  test('names the Sitehost, the site, settings and ignore rules', () => {
    const file = {
      $schema: 'https://example.com/sitehost.json',
      instance: 'https://sitehost.example',
      site: 'blog',
      settings: { cleanUrls: true, indexFiles: ['home.html'] },
      ignore: ['*.psd', '!keep.psd'],
    }
    expect(parsed(`\uFEFF${JSON.stringify(file, null, 2)}`)).toEqual({
      instance: 'https://sitehost.example',
      site: 'blog',
      settings: {
        $type: 'place.sitehost.settings',
        ...{ cleanUrls: true, indexFiles: ['home.html'] },
      },
      ignore: ['*.psd', '!keep.psd'],
    } as never)
  })
})

describe('the problem has a line and a column:', () => {
  const facts: [string, string, string][] = [
    ['no JSON', '', 'line 1, column 1: expected JSON'],
    ['a comma too many', '{\n  "site": "a",\n}', 'line 3, column 1: expected JSON'],
    ['a word', '{\n  "site": blog\n}', 'line 2, column 11: expected JSON'],
    ['a comment', '{\n  // mine\n}', 'line 2, column 3: expected JSON'],
    ['not closed', '{\n  "site": "a"', 'line 2, column 14: expected JSON'],
    ['no object', '[]', 'line 1, column 1: '],
    ['a bad name', '{\n  "site": "a b"\n}', 'line 2, column 11: site: expected the name of a site'],
    [
      'no address',
      '{ "instance": "blog" }',
      'line 1, column 15: instance: expected the address of a Sitehost',
    ],
    ['a number as a name', '{\n  "site": 1\n}', 'line 2, column 11: site: expected a string'],
    [
      'an unknown field',
      '{\n  "site": "a",\n  "ignored": []\n}',
      'line 3, column 14: ignored: there is no field "ignored"',
    ],
    [
      'an unknown setting',
      '{\n  "settings": {\n    "cleanUrl": true\n  }\n}',
      'line 3, column 17: settings.cleanUrl: there is no field "cleanUrl"',
    ],
    [
      'a bad setting',
      '{\n  "settings": {\n    "indexFiles": ["a.html", "b/c"]\n  }\n}',
      'line 3, column 30: settings.indexFiles.1: expected the name of a file, without a folder',
    ],
    [
      'settings that exclude each other',
      '{\n  "settings": { "spaMode": "a.html", "custom404": "b.html" }\n}',
      'line 2, column 15: Only one of spaMode, directoryListing, or custom404 can be enabled',
    ],
    [
      'a bad ignore rule',
      '{\n  "ignore": [\n    "a",\n    "b["\n  ]\n}',
      'line 4, column 5: ignore: ',
    ],
    [
      'two ignore rules in one',
      '{\n  "ignore": ["a\\nb"]\n}',
      'line 2, column 14: ignore.0: expected one rule, without a line break',
    ],
    [
      'the last of two fields with one name',
      '{\n  "site": "a",\n  "site": 1\n}',
      'line 3, column 11: site: expected a string',
    ],
    ['__proto__', '{ "__proto__": {} }', 'line 1, column 16: __proto__: there is no field'],
    ['nesting', '['.repeat(100_000), 'line 1, column 1: nested too deep'],
    ['size', `"${' '.repeat(siteFileBytesMax)}"`, 'line 1, column 1: the file is larger than'],
  ]
  test.each(facts)('%s', (_, text, problem) => {
    expect(parsed(text)).toStartWith(problem)
  })
})
