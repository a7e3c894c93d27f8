import { expect, test } from 'bun:test'

const web = new URL('..', import.meta.url).pathname

/** For developers, and for administrators, who read English. */
const english = ['styleguide/', 'admin/', 'words/']

/** Text between tags, and attributes that people read or hear. */
const text =
  /(?<!=)>[ \t]*([^<>{}=;()&|[\]`$+\n]*[a-z]{2,}[^<>{}=;()&|[\]`$+\n]*)[ \t]*(?:<|\{|\n)/gi
const attribute = /\b(?:aria-label|label|title|placeholder|hint|alt)="([^"]*[a-z]{2,}[^"]*)"/gi
const startsLine = /^ {4,}([A-Z][a-z’']*(?: [\w’',.]+)+)[ {]*$/gm

/** A string of several words that ends like a sentence, wherever it is. */
const quoted = /(['"`])([A-Z][^'"`\n]* [^'"`\n]*[.…?!])\1/g

/** The sentences in a component. */
function sentencesOf(source: string): string[] {
  const markup = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const found = [text, attribute, startsLine].flatMap((kind) => [...markup.matchAll(kind)])
  const sentences = found.map(([, sentence = '']) => sentence.trim())
  return [...sentences.filter((sentence) => sentence !== ''), ...quotedIn(markup)]
}

function quotedIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  return [...code.matchAll(quoted)].map(([, , sentence = '']) => sentence)
}

const isIn = (folders: readonly string[]) => (path: string) =>
  folders.some((folder) => path.startsWith(folder))

const components = [...new Bun.Glob('**/*.tsx').scanSync(web)].filter(
  (path) => !isIn(english)(path),
)

test('no component says a sentence that is not in the catalogue', async () => {
  const found = await Promise.all(
    components.map(async (path) => [path, sentencesOf(await Bun.file(web + path).text())] as const),
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
    sentencesOf('<p>Hello you</p>'),
    sentencesOf('<p>\n      Hello you there\n    </p>'),
    sentencesOf('<Field label="Site name" />'),
    sentencesOf('<p>Hello {name}</p>'),
    sentencesOf('<p>{words.start.title}</p>'),
    sentencesOf('const a: Map<string> = new Map<string, number>()'),
    sentencesOf('{files.length > shownMax && <p>{rest}</p>}'),
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
