import { expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parseIgnoreRules } from '#site/upload/ignore-rules.ts'

test('1000 sets of rules mean what they mean to git', async () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'ab', '-', ']', '!', '#', ' ', '*', '[', 'Z', '7', 'ü'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => parts.join(''))
    .filter((name) => !name.startsWith(' '))
  const plain = fc.constantFrom('a', 'b', 'ab', 'c')
  const paths = fc
    .array(fc.oneof({ weight: 3, arbitrary: plain }, name), { minLength: 1, maxLength: 5 })
    .map((names) => names.join('/'))
  const sets = fc.constantFrom(
    '[a-b]',
    '[!a]',
    '[^b]',
    '[]a]',
    '[a-]',
    '[a',
    '[\\]b]',
    '[[:alpha:]]',
  )
  const piece = fc.oneof(
    { weight: 3, arbitrary: plain },
    fc.constantFrom(
      '*',
      '**',
      '***',
      '?',
      '/**/',
      '**/',
      '/**',
      '*a*',
      '\\',
      '\\*',
      '\\ ',
      '[',
      '[:',
    ),
    sets,
    name,
    fc.constantFrom('/', '/', '/'),
  )
  const rule = fc
    .tuple(
      fc.constantFrom('', '', '', '!', '/', '#', '\\#', '\\!', '**/'),
      fc.array(piece, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('', '', '', '/', '/**', ' ', '\\ ', '\r'),
    )
    .map(([start, pieces, end]) => start + pieces.join('') + end)
  const rules = fc.array(rule, { minLength: 1, maxLength: 5 }).map((lines) => lines.join('\n'))
  const cases = fc.sample(
    fc.record({ rules, paths: fc.array(paths, { minLength: 8, maxLength: 12 }) }),
    { numRuns: 1000, seed: 1 },
  )
  const expected = await askGit(cases)
  const asked = cases.flatMap(({ rules, paths }) => {
    const { isIgnored } = parseIgnoreRules(rules)
    return paths.map((path) => ({ rules, path, isIgnored: isIgnored(path) }))
  })
  expect(expected.filter(Boolean).length).toBeGreaterThan(500)
  expect(asked.filter(({ isIgnored }, i) => isIgnored !== expected[i])).toEqual([])
})

/** What git says of every path under the rules of its case; one process for them all. */
async function askGit(cases: readonly { rules: string; paths: readonly string[] }[]) {
  const dir = await mkdtemp(join(tmpdir(), 'ignore-'))
  try {
    await git(dir, ['init', '-q'], '')
    for (const [i, { rules }] of cases.entries()) {
      await mkdir(join(dir, `${i}`))
      await Bun.write(join(dir, `${i}/.gitignore`), rules)
    }
    const asked = cases.flatMap(({ paths }, i) => paths.map((path) => `${i}/${path}\0`))
    const check = ['check-ignore', '--no-index', '--stdin', '-z', '-v', '-n']
    const words = (await git(dir, check, asked.join(''))).split('\0')
    return Array.from({ length: asked.length }, (_, i) => {
      const rule = words[i * 4 + 2] ?? ''
      return rule !== '' && !rule.startsWith('!')
    })
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function git(cwd: string, args: string[], input: string): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' }
  const child = Bun.spawn({ cmd: ['git', ...args], cwd, env, stdin: Buffer.from(input) })
  return await new Response(child.stdout).text()
}
