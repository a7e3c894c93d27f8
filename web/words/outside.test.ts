import { expect, test } from 'bun:test'

const web = new URL('..', import.meta.url).pathname

/** Pages that are not rebuilt yet. The list only gets shorter. */
const waiting = [
  'account/',
  'names/',
  'onboarding/',
  'publish/',
  'site/settings/',
  'site/overview/',
  'sites/',
  'start/',
]

/** For developers, and for administrators, who read English. */
const english = ['styleguide/', 'admin/', 'words/']

/** Text between tags, and attributes that people read or hear. */
const text =
  /(?<!=)>[ \t]*([^<>{}=;()&|[\]`$+\n]*[a-z]{2,}[^<>{}=;()&|[\]`$+\n]*)[ \t]*(?:<|\{|\n)/gi
const attribute = /\b(?:aria-label|label|title|placeholder|hint|alt)="([^"]*[a-z]{2,}[^"]*)"/gi
const startsLine = /^ {4,}([A-Z][a-z’']*(?: [\w’',.]+)+)[ {]*$/gm

/** The sentences in a component. */
function sentencesOf(source: string): string[] {
  const markup = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  const found = [text, attribute, startsLine].flatMap((kind) => [...markup.matchAll(kind)])
  return found.map(([, sentence = '']) => sentence.trim()).filter((sentence) => sentence !== '')
}

const isIn = (folders: readonly string[]) => (path: string) =>
  folders.some((folder) => path.startsWith(folder))

const components = [...new Bun.Glob('**/*.tsx').scanSync(web)].filter(
  (path) => !isIn(english)(path),
)

test('no component says a sentence that is not in the catalogue', async () => {
  const done = components.filter((path) => !isIn(waiting)(path))
  const found = await Promise.all(
    done.map(async (path) => [path, sentencesOf(await Bun.file(web + path).text())] as const),
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
  ]).toEqual([['Hello you'], ['Hello you there'], ['Site name'], ['Hello'], [], [], []])
})
