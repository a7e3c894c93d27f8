import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { sentencesIn } from '#tests/support/sentences-in.ts'
import { areaWords } from './admin/area.ts'
import { listsWords } from './admin/lists.ts'
import { partsWords } from './admin/parts.ts'
import { de } from './de.ts'
import { enOwn } from './en-own.ts'
import { enShell } from './en-shell.ts'

const en = { ...enShell, ...enOwn }

/** Administrators read English. */
const admin = { areaWords, listsWords, partsWords }

/** What was said once and is not to come back: foreign English, and words that nobody looks for. */
const refused: readonly RegExp[] = [
  /in your own account\b(?!,)/i,
  /becomes a website/i,
  /stays yours/i,
  /nothing half done/i,
  /only what is needed/i,
  /will do too/i,
  /letters without accents/i,
  /no site yet\b(?!\?)/i,
  /by themselves/i,
  /of its own/i,
  /\bleads?\b/i,
  /in your repository already/i,
  /visitors (?:are told|get one and the same)/i,
  /folders without an index file show/i,
  /visitors get it like this/i,
  /name to claim/i,
  /\bclaim\b|\brelease\b/i,
  /so it is not served/i,
  /take it along/i,
  /^leave$/i,
  /taken back/i,
  /keep it\b/i,
  /there is no such page/i,
  /this name does not/i,
]

/** Every sentence with its place; of functions, what they say of a sample. */
function* sentencesOf(section: object, path = ''): Generator<readonly [string, string]> {
  for (const [key, value] of Object.entries(section)) {
    const at = path === '' ? key : `${path}.${key}`
    if (typeof value === 'string') yield [at, value]
    else if (typeof value === 'function') yield [at, String(value(2, 3, 4, 5))]
    else yield* sentencesOf(value, at)
  }
}

test('no sentence says what was thrown out', () => {
  const bad = [...sentencesOf(en), ...sentencesOf(admin)].filter(([, text]) =>
    refused.some((words) => words.test(text)),
  )
  expect(bad).toEqual([])
})

/** What is not in the catalogue: pages of visitors, and answers that a page shows. */
const elsewhere = [
  'src/edge/{pages,listing-page}.ts',
  'src/api/document/report-page.ts',
  'src/api/contract/messages.ts',
  'src/domains/domain-sentences.ts',
  'src/site/upload/*.ts',
]

test('no other page does', async () => {
  const root = join(import.meta.dir, '../../')
  const paths = elsewhere.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  const sources = await Promise.all(
    paths
      .filter((path) => !path.includes('.test.'))
      .map(async (path) => [path, await Bun.file(root + path).text()] as const),
  )
  const said = sources.flatMap(([path, source]) =>
    sentencesIn(source).map((sentence) => [path, sentence] as const),
  )
  expect(said.length).toBeGreaterThan(100)
  expect(said.filter(([, text]) => refused.some((words) => words.test(text)))).toEqual([])
})

/** Each was on a page once. */
const thrownOut = [
  'Your website, in your own account',
  'Drop a folder, and it becomes a website.',
  'It stays yours',
  'Nothing half done',
  'Only what is needed',
  'For example alice.example.com. A DID or your server’s address will do too.',
  'Letters without accents, digits, and any of . _ ~ : -',
  'No site yet. Publish one below.',
  'Those in your repository already come here by themselves.',
  '6 files, 6 of them in your repository already',
  'Visitors are told that it is not found',
  'Visitors get one and the same page',
  'Folders without an index file show a list',
  'Saved. Visitors get it like this within a second.',
  'Name to claim',
  'Claim',
  'Release',
  'Not verified yet, so it is not served.',
  'Take it along',
  'Leave',
  'This cannot be taken back.',
  'Keep it.',
  'There is no such page. Check the address, or go to the start.',
  'This name does not lead to a website.',
]

test.each(thrownOut)('the test would find “%s”', (text) => {
  expect(refused.some((words) => words.test(text))).toBe(true)
})

test('every language says everything: nothing is empty, or left in English', () => {
  const english = new Map(sentencesOf(en))
  const german = new Map(sentencesOf(de))
  expect([...german.keys()].toSorted()).toEqual([...english.keys()].toSorted())
  const long = 20
  const same = [...german].filter(([at, text]) => text.length > long && english.get(at) === text)
  expect(same).toEqual([])
  expect([...english, ...german].filter(([, text]) => text.trim() === '')).toEqual([])
})
