import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { quotedIn, sentencesIn } from '#tests/support/sentences-in.ts'

const web = join(import.meta.dir, '../')

/** For developers. */
const english = ['styleguide/', 'words/']

const isIn = (folders: readonly string[]) => (path: string) =>
  folders.some((folder) => path.startsWith(folder))

const components = [...new Bun.Glob('**/*.tsx').scanSync(web)].filter(
  (path) => !isIn(english)(path),
)

test('no component says a sentence that is not in the catalogue', async () => {
  const found = await Promise.all(
    components.map(async (path) => [path, sentencesIn(await Bun.file(web + path).text())] as const),
  )
  expect(found.filter(([, sentences]) => sentences.length > 0)).toEqual([])
})

test('no other module does', async () => {
  const modules = [...new Bun.Glob('**/*.ts').scanSync(web)].filter(
    (path) => !isIn(english)(path) && !path.includes('.test.'),
  )
  const found = await Promise.all(
    modules.map(async (path) => [path, quotedIn(await Bun.file(web + path).text())] as const),
  )
  expect(found.filter(([, sentences]) => sentences.length > 0)).toEqual([])
})

test('the test would find one', () => {
  expect([
    sentencesIn('<p>Hello you</p>'),
    sentencesIn('<p>\n      Hello you there\n    </p>'),
    sentencesIn('<Field label="Site name" />'),
    sentencesIn('<p>Hello {name}</p>'),
    sentencesIn('<p>{words.start.title}</p>'),
    sentencesIn('const a: Map<string> = new Map<string, number>()'),
    sentencesIn('{files.length > shownMax && <p>{rest}</p>}'),
    quotedIn("throw new Error('Try again.')"),
  ]).toEqual([
    ['Hello you'],
    ['Hello you there'],
    ['Site name'],
    ['Hello'],
    [],
    [],
    [],
    ['Try again.'],
  ])
})
