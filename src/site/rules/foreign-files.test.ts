import { expect, test } from 'bun:test'
import { problemsMax } from '#site/limits.ts'
import { foreignFileProblems } from './foreign-files.ts'

test.each([
  ['netlify.toml', '_redirects'],
  ['vercel.json', '_headers'],
  ['wrangler.toml', 'settings'],
  ['wrangler.json', 'settings'],
  ['wrangler.jsonc', 'settings'],
  ['.assetsignore', '.sitehostignore'],
  ['_Redirects', 'call it _redirects'],
  ['_HEADERS', 'call it _headers'],
])('%s is a problem that names %s', (name, instead) => {
  const [problem = '', ...more] = foreignFileProblems(['index.html', name])
  expect(problem).toStartWith(`${name} is `)
  expect(problem).toContain('not read')
  expect(problem).toContain(instead)
  expect(more).toEqual([])
})

test.each([
  '_redirects',
  '_headers',
  'docs/netlify.toml',
  'docs/_Redirects',
  'Vercel.json',
  'netlify.toml.html',
  'constructor',
])('%s is none', (path) => {
  expect(foreignFileProblems([path])).toEqual([])
})

test('only the first of very many', () => {
  const spellings = Array.from({ length: 512 }, (_, i) =>
    [...'_redirects'].map((c, at) => ((i >> at) & 1 ? c.toUpperCase() : c)).join(''),
  )
  expect(foreignFileProblems(spellings)).toHaveLength(problemsMax)
})
