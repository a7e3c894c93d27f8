import { describe, expect, test } from 'bun:test'
import { dirname, join, resolve } from 'node:path'
import { readLazyModules } from '#main/web-app/web-chunks.ts'
import { enOwn } from '#web/words/en-own.ts'

const webDir = resolve(import.meta.dir, '../../web')
const { pages } = await readLazyModules(webDir)

describe('words that do not come with the shell are loaded before they are said', () => {
  test.each(pages.map(({ files, pattern }) => [pattern, files] as const))(
    'on %p',
    async (_, files) => {
      const page = await importedBy([...files, join(webDir, 'shell/own.tsx')])
      expect(missingIn(page)).toEqual([])
      for (const part of await partsOf(page)) {
        const missing = missingIn(new Map([...page, ...(await importedBy([part]))]))
        expect([part, missing]).toEqual([part, []])
      }
    },
  )
})

type Sources = ReadonlyMap<string, string>

/** These files and all that they import. */
async function importedBy(paths: readonly string[], found = new Map<string, string>()) {
  for (const path of paths) {
    if (found.has(path)) continue
    const text = await Bun.file(path).text()
    found.set(path, text)
    const targets = [...text.matchAll(/^(?:import|export)\b(?! type\b)[^;'()]*'([^']+)'/gm)]
    await importedBy(
      targets.flatMap(([, target = '']) => fileOf(path, target)),
      found,
    )
  }
  return found
}

/** What is loaded after the page, for what it shows later. */
async function partsOf(page: Sources, found = new Set<string>()): Promise<Set<string>> {
  for (const [path, text] of page) {
    for (const [, target = ''] of text.matchAll(/\bimport\('([^']+)'\)/g)) {
      for (const part of fileOf(path, target)) {
        if (found.has(part)) continue
        found.add(part)
        await partsOf(await importedBy([part]), found)
      }
    }
  }
  return found
}

function fileOf(from: string, target: string): string[] {
  if (!/\.tsx?$/.test(target)) return []
  if (target.startsWith('#web/')) return [join(webDir, target.slice('#web/'.length))]
  return target.startsWith('.') ? [resolve(dirname(from), target)] : []
}

/** Sections that are said, and in none of the files added. */
function missingIn(sources: Sources): string[] {
  const all = [...sources].filter(([path]) => !path.includes('/words/en'))
  const said = all.flatMap(([path, text]) => sectionsIn(text).map((name) => [name, path] as const))
  const added = all.flatMap(([, text]) =>
    [...text.matchAll(/addOwnWords\(\{([^}]*)\}\)/g)].flatMap(([, names = '']) =>
      names.split(/\W+/),
    ),
  )
  return said.filter(([name]) => !added.includes(name)).map(([name, path]) => `${name}: ${path}`)
}

const sectionsIn = (text: string): string[] =>
  [
    ...[...text.matchAll(/\bwords\.(\w+)/g)].map(([, name = '']) => name),
    ...[...text.matchAll(/\{([^{}]*)\} = words\b(?!\.)/g)].flatMap(([, names = '']) =>
      names.split(/\W+/),
    ),
  ].filter((name) => name in enOwn)
