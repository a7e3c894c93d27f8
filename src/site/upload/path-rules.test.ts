import { expect, test } from 'bun:test'
import { sharedRoot, skipReason } from './path-rules.ts'

test.each([
  ['.git/config', 'belongs to version control'],
  ['site/.git', 'belongs to version control'],
  ['.DS_Store', 'written by macOS'],
  ['a/b/.DS_Store', 'written by macOS'],
  ['__MACOSX/a.html', 'written by macOS'],
  ['a/._b.html', 'written by macOS'],
  ['Thumbs.db', 'written by Windows'],
  ['a/Desktop.ini', 'written by Windows'],
  ['node_modules/x/index.js', 'installed packages'],
  ['sub/node_modules/x.js', 'installed packages'],
  ['.env', 'may hold secrets'],
  ['.env.production', 'may hold secrets'],
  ['.ENV', 'may hold secrets'],
  ['api/.envrc', 'may hold secrets'],
  ['.index.html.swp', 'written by an editor'],
  ['a/.index.html.swo', 'written by an editor'],
  ['index.html~', 'written by an editor'],
  ['.#index.html', 'written by an editor'],
  ['#index.html#', 'written by an editor'],
  ['.~lock.table.ods#', 'written by an editor'],
])('%s is left out: %s', (path, reason) => {
  expect(skipReason(path)).toBe(reason)
})

test.each([
  'index.html',
  '.gitignore',
  '.github/x.yml',
  '.gitlab',
  'git/a',
  '.well-known/security.txt',
  'env',
  'a.env',
  'node_modules.html',
  'my.DS_Store',
  '_.html',
  '_headers',
  '.sitehostignore',
  'movie.swf',
  'page.swp',
  '.swiftlint.yml',
  '~me/index.html',
  '#1.html',
  '.svg',
  '.a.svg',
])('%s is published', (path) => {
  expect(skipReason(path)).toBeNull()
})

const roots: [string[], string | null][] = [
  [['dist/index.html', 'dist/a/b.css'], 'dist'],
  [['dist/index.html'], 'dist'],
  [['dist/a/x', 'dist/a/y'], 'dist'],
  [['dist/index.html', 'index.html'], null],
  [['dist/index.html', 'src/index.html'], null],
  [['dist/index.html', 'dist2/index.html'], null],
  [['index.html'], null],
  [['/dist/index.html'], null],
  [['../a', '../b'], null],
  [['./a', './b'], null],
  [[], null],
]

test.each(roots)('the root that %j share is %p', (paths, root) => {
  expect(sharedRoot(paths)).toBe(root)
})
