import { expect, test } from 'bun:test'
import { filterFiles, type ListedFile, rowsOf, treeOf } from './tree-rows.ts'

const fileAt = (path: string): ListedFile => ({
  path,
  bytes: 2,
  mediaType: 'text/plain',
  url: null,
})
const files = ['b.txt', 'a/y/1.txt', 'a/10.txt', 'a/9.txt', 'z/Über.TXT'].map(fileAt)

/** `▸a` closed, `▾a` open; two spaces a level. */
const drawn = (isOpen: (path: string) => boolean, of: readonly ListedFile[] = files) =>
  rowsOf(treeOf(of), isOpen).map((row) => {
    const mark = row.kind === 'file' ? '' : row.isOpen ? '▾' : '▸'
    return `${'  '.repeat(row.level - 1)}${mark}${row.name} ${row.position}/${row.setSize}`
  })

test('folders come before files, closed ones without what is in them', () => {
  expect(drawn(() => false)).toEqual(['▸a 1/3', '▸z 2/3', 'b.txt 3/3'])
})

test('open folders have their entries below them, numbers by their value', () => {
  expect(drawn((path) => path.startsWith('a'))).toEqual([
    '▾a 1/3',
    '  ▾y 1/3',
    '    1.txt 1/1',
    '  9.txt 2/3',
    '  10.txt 3/3',
    '▸z 2/3',
    'b.txt 3/3',
  ])
})

test('a folder counts what is in it and below', () => {
  expect(treeOf(files)).toMatchObject({ fileCount: 5, bytes: 10 })
  expect(treeOf(files).folders[0]).toMatchObject({ path: 'a', fileCount: 3, bytes: 6 })
})

test('a filter takes words of the path, in any order, case and spelling of accents', () => {
  const found = (text: string) => filterFiles(files, text).map(({ path }) => path)
  expect(found('txt A/')).toEqual(['a/y/1.txt', 'a/10.txt', 'a/9.txt'])
  expect(found('u\u0308ber')).toEqual(['z/Über.TXT'])
  expect(found('  ')).toHaveLength(5)
  expect(found('nothing')).toEqual([])
})
