import { expect, test } from 'bun:test'
import { de } from './de.ts'
import { enOwn } from './en-own.ts'
import { enShell } from './en-shell.ts'

const en = { ...enShell, ...enOwn }

/** What was said once and is not to come back: foreign English, and words that nobody looks for. */
const refused: readonly RegExp[] = [
  /in your own account\b(?!,)/i,
  /becomes a website/i,
  /stays yours/i,
  /nothing half done/i,
  /only what is needed/i,
  /will do too/i,
  /letters without accents/i,
  /no site yet/i,
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
  const bad = [...sentencesOf(en)].filter(([, text]) => refused.some((words) => words.test(text)))
  expect(bad).toEqual([])
})

test('the test would find one', () => {
  const texts = [
    'This name does not lead to a website.',
    'Name to claim',
    'Leave',
    'It stays yours',
  ]
  expect(texts.filter((text) => !refused.some((words) => words.test(text)))).toEqual([])
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
