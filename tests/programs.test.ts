import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const helper = 'tests/support/require.ts'

const paths = ['src', 'web', 'tests', 'devnet']
  .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root)])
  .filter((path) => /\.test\.ts$|^tests\//.test(path) && !path.includes('node_modules/'))
  .filter((path) => path !== helper && path !== 'tests/programs.test.ts')

const sources = await Promise.all(
  paths.map(async (path) => [path, await Bun.file(join(root, path)).text()] as const),
)

/** Excerpts that `pattern` finds, with their files. */
const found = (pattern: RegExp): string[] =>
  sources.flatMap(([path, text]) =>
    Array.from(text.matchAll(pattern), ([all]) => `${path}: ${all}`),
  )

test('each suite that may be skipped asks tests/support/require.ts', () => {
  const asked = sources.flatMap(([path, text]) =>
    Array.from(text.matchAll(/\.(?:skip|todo)(?:If)?\((.*?)\)/g), ([all, condition = '']) => {
      const name = /^!(\w+)$/.exec(condition)?.[1] ?? 'a constant'
      const isAsked =
        RegExp(`const ${name} = await (?:available|hasPrograms)\\(`).test(text) ||
        (name === 'hasBrowser' && text.includes('support/browser/browser.ts'))
      return { suite: `${path}: ${all}`, isAsked }
    }),
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter(({ isAsked }) => !isAsked)).toEqual([])
})

test('no suite looks a program up itself, or knows where a system has it', () => {
  expect(found(/Bun\.which\(.*/g)).toEqual([])
  expect(found(/['"`]\/(?:usr\/)?(?:local\/)?s?bin\/.*/g)).toEqual([])
})
