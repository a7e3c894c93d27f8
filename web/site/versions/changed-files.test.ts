import { expect, test } from 'bun:test'
import { changedFiles } from './changed-files.ts'

const named = (...paths: string[]) => paths.map((path) => ({ path, bytes: 1 }))

test('changes are in the order of people, kind by kind', () => {
  const files = changedFiles({
    added: named('p1.html', 'p10.html', 'p100.html', 'p2.html'),
    changed: named('index.html'),
    removed: named('a.html'),
  })
  expect(files.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'added p1.html',
    'added p2.html',
    'added p10.html',
    'added p100.html',
    'changed index.html',
    'removed a.html',
  ])
})
