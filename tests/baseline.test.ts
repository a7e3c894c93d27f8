import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { optionsOf } from '#main/web-app/build-web-app.ts'
import { openWebAssets } from '#main/web-app/web-assets.ts'
import { pageStyle } from '#site/own-pages/page-style.ts'
import { allowed, calledOwn, readOwn } from '#tests/support/baseline/allowed.ts'
import { documentParts } from '#tests/support/baseline/html-features.ts'
import { scriptFeatures } from '#tests/support/baseline/script-features.ts'
import { isNew, statuses } from '#tests/support/baseline/statuses.ts'
import { styleFeatures } from '#tests/support/baseline/style-features.ts'
import { foundSyntax } from '#tests/support/baseline/syntax-features.ts'
import { plainInstance } from '#tests/support/plain-instance.ts'

// The line of `docs/browsers.md`: what is shipped to browsers needs nothing newer, by the data of `web-features`.

const checkout = join(import.meta.dir, '..')
/** Keys of what is shipped, with a place of each. */
const certain = new Map<string, string>()
const read = new Map<string, string>()
let decisive: string[] = []

beforeAll(async () => {
  const assets = await openWebAssets(
    { instance: plainInstance, logo: null },
    { isCodedLater: true },
  )
  const note = (path: string, keys: Iterable<string>) => {
    for (const key of keys) certain.set(key, path)
  }
  const noteScript = (path: string, script: string) => {
    for (const [key, use] of scriptFeatures(script)) {
      if (use === 'certain') certain.set(key, path)
      else read.set(key, path)
    }
  }
  for (const [path, { body, contentType }] of assets) {
    if (path.endsWith('.js')) noteScript(path, await body.text())
    if (path.endsWith('.css')) note(path, styleFeatures(await body.text()))
    if (!contentType.startsWith('text/html')) continue
    const { features, scripts, styles } = documentParts(await body.text())
    note(path, features)
    for (const script of scripts) noteScript(path, script)
    for (const style of styles) note(path, styleFeatures(style))
    if (path === '/') decisive = scripts.flatMap((script) => [...scriptFeatures(script).keys()])
  }
  note('pages of the service', styleFeatures(pageStyle))
})

test('what browsers get uses nothing that is newer than the line, except where a check finds it', () => {
  const known = new Set([...Object.values(allowed).flat(), ...calledOwn])
  expect([...certain].filter(([key]) => isNew(key) && !known.has(key))).toEqual([])
  const ofOwn = new Set([...known, ...readOwn])
  expect([...read].filter(([key]) => isNew(key) && !ofOwn.has(key))).toEqual([])
})

test('the exceptions are in use', () => {
  const exceptions = [...Object.values(allowed).flat(), ...calledOwn]
  expect(exceptions.filter((key) => !certain.has(key) && !read.has(key))).toEqual([])
  expect(readOwn.filter((key) => !read.has(key))).toEqual([])
})

test('a browser that the script in the document lets in has all that the app uses unchecked', () => {
  const unchecked = Object.entries(allowed).filter(([reason]) => !reason.includes('too-old.ts'))
  const without = new Set([...unchecked.flatMap(([, keys]) => keys), ...calledOwn])
  const missing = [...certain.keys()]
    .filter((key) => /^(?:api|javascript)\./.test(key) && !without.has(key))
    .filter((key) => engines.some((engine) => newest([key], engine) > newest(decisive, engine)))
  expect(missing).toEqual([])
})

const engines = [
  'chrome',
  'chrome_android',
  'edge',
  'firefox',
  'firefox_android',
  'safari',
  'safari_ios',
]

/** The first version of the engine that has all of the features. */
const newest = (keys: readonly string[], engine: string): number =>
  Math.max(
    0,
    ...keys.map((key) => Number.parseFloat(statuses.get(key)?.support[engine] ?? '0') || 0),
  )

describe('is refused:', () => {
  const rows: [what: string, source: string, key: string][] = [
    [
      '`using`, by the bundler’s helper',
      'using file = globalThis.openFile(); file.read()',
      'javascript.builtins.Symbol.dispose',
    ],
    ['a global', 'console.log(Temporal.Now.instant())', 'javascript.builtins.Temporal'],
    ['a static member', 'console.log(URL.parse(location.hash))', 'api.URL.parse_static'],
    [
      'the same by a string',
      'console.log(globalThis["Promise"]["try"](close))',
      'javascript.builtins.Promise.try',
    ],
    [
      'the same, unpacked',
      'const { try: run } = Promise; run(close)',
      'javascript.builtins.Promise.try',
    ],
    [
      'a member of a prototype',
      'globalThis.handle.createWritable()',
      'api.FileSystemFileHandle.createWritable',
    ],
    [
      'a helper of iterators',
      'console.log(globalThis.map.values().map(String))',
      'javascript.builtins.Iterator.map',
    ],
    [
      'a flag within an expression',
      'console.log(/(?i:a)b/.test(location.hash))',
      'javascript.regular_expressions.modifier',
    ],
    ['`await` at the top level', 'await globalThis.ready', 'javascript.operators.await.top_level'],
    ['an event', 'addEventListener("beforetoggle", close)', 'api.HTMLElement.beforetoggle_event'],
    [
      'an attribute',
      'globalThis.jsx("div", { popover: "hint" })',
      'html.global_attributes.popover.hint',
    ],
  ]
  for (const [what, source, key] of rows) {
    test(what, async () => {
      const script = await bundled('ts', source)
      expect(scriptFeatures(script).get(key)).toBe('certain')
      expect(isNew(key)).toBe(true)
    })
  }

  const styles: [what: string, source: string, key: string][] = [
    ['a property', 'p { field-sizing: content }', 'css.properties.field-sizing'],
    ['a value', 'p { text-wrap: pretty }', 'css.properties.text-wrap.pretty'],
    ['a function', 'p { width: calc-size(auto, size) }', 'css.types.calc-size'],
    ['a selector', 'p::details-content { color: red }', 'css.selectors.details-content'],
    ['an at-rule', '@starting-style { p { color: red } }', 'css.at-rules.starting-style'],
    [
      'a media feature',
      '@media (inverted-colors) { p { color: red } }',
      'css.at-rules.media.inverted-colors',
    ],
  ]
  for (const [what, source, key] of styles) {
    test(`in a style sheet, ${what}`, async () => {
      expect([...styleFeatures(await bundled('css', source))]).toContain(key)
      expect(isNew(key)).toBe(true)
    })
  }
})

test('new syntax in the data is syntax that the check finds', () => {
  const isSyntax = /^javascript\.(?!builtins)/
  const elsewhere = [
    /\.import_assertions|\.import_attributes\.|worklet_support|service_worker_support/,
    // Not in modules, or with no effect of its own.
    /statements\.with$|arguments\.callee$|trailing_commas_in_dynamic_import$/,
  ]
  const missing = [...statuses.keys()].filter(
    (key) =>
      isSyntax.test(key) &&
      isNew(key) &&
      !foundSyntax.some((found) => found === key) &&
      !elsewhere.some((pattern) => pattern.test(key)),
  )
  expect(missing).toEqual([])
})

// Names that older types share, such as `map` of an array and of an iterator: the compiler tells them apart.
describe('types of ECMAScript 2023 and parts of 2024', () => {
  test('are enough for what the page is made of', async () => {
    const lines = await compile(join(checkout, 'tsconfig.web.json'))
    // The contract’s types are of the server, too.
    expect(lines.filter((line) => /^(?:web|src\/site|src\/http)\//.test(line))).toEqual([])
  })

  test('refuse a helper of an iterator', async () => {
    await inFolder(async (folder) => {
      await Bun.write(
        join(folder, 'made.ts'),
        'export const made = (of: Map<string, number>) => { const all = of.values(); return all.map(String) }',
      )
      const config = { extends: join(checkout, 'tsconfig.web.json'), include: ['made.ts'] }
      await Bun.write(join(folder, 'tsconfig.json'), JSON.stringify(config))
      expect((await compile(join(folder, 'tsconfig.json'))).join()).toContain(
        "'map' does not exist",
      )
    })
  })
})

/** Errors, except of modules that only the bundler finds. */
async function compile(config: string): Promise<string[]> {
  const tsc = join(checkout, 'node_modules/.bin/tsc')
  const { stdout } = Bun.spawn([tsc, '-p', config, '--pretty', 'false'], { cwd: checkout })
  const lines = (await new Response(stdout).text()).split('\n')
  return lines.filter((line) => line.includes('error TS') && !line.includes('error TS2307'))
}

const bundled = (extension: string, source: string): Promise<string> =>
  inFolder(async (folder) => {
    const entry = join(folder, `made.${extension}`)
    await Bun.write(entry, source)
    const { outputs } = await Bun.build({ ...optionsOf(false), entrypoints: [entry] })
    return (await outputs[0]?.text()) ?? ''
  })

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'baseline-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
