import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ruleFileBytesMax } from '#site/limits.ts'
import { readLocalSite } from './local-site.ts'
import { siteWarnings } from './site-warnings.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'site-warnings-'))
})
afterEach(() => rm(dir, { recursive: true }))

async function warningsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [path, content] of Object.entries(files)) await Bun.write(join(dir, path), content)
  return await siteWarnings(await readLocalSite(dir, { fileBytesMax: 1e9, siteBytesMax: 1e9 }))
}

const page = { 'index.html': '<h1>home</h1>' }
const unless = 'unless the site’s settings name another start page'

const facts: [string, Record<string, string>, string[]][] = [
  ['nothing is wrong', { ...page, _redirects: '/a /b' }, []],
  [
    'a rule without effect',
    { ...page, _redirects: '/a /b\n/c\n' },
    ['_redirects, line 2: has no target'],
  ],
  [
    'a file of rules that is too large',
    { ...page, _headers: '#'.repeat(ruleFileBytesMax + 1) },
    [`_headers is not used: it is larger than ${ruleFileBytesMax} bytes`],
  ],
  ['another host’s file', { ...page, 'netlify.toml': '' }, ['netlify.toml is Netlify']],
  ['no start page', { 'a.txt': 'a' }, [`There is no index.html, so its address shows`]],
  ['perhaps another folder', { 'dist/index.html': 'a', 'a.txt': '' }, ['but one in dist']],
  ['perhaps another page', { 'home.html': 'a' }, ['but home.html: call that index.html']],
  [
    'a list in place of a start page',
    { 'a.txt': 'a', 'sitehost.json': '{"settings":{"directoryListing":true}}' },
    [],
  ],
]
test.each(facts)('%s', async (_, files, expected) => {
  const warnings = await warningsOf(files)
  expect(warnings).toEqual(expected.map((words) => expect.stringContaining(words)))
})

test('settings of the folder are those that count', async () => {
  const settings = { settings: { indexFiles: ['home.html'] } }
  const [warning] = await warningsOf({ 'a.txt': 'a', 'sitehost.json': JSON.stringify(settings) })
  expect(warning).not.toContain(unless)
})
