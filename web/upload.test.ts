import { expect, test } from 'bun:test'
import { uploadForm } from './upload.ts'

test('the site name comes first, then each file under its path', () => {
  const files = ['blog/index.html', 'blog/css/site.css'].map((path) => ({
    path,
    // A File of Bun 1.4 keeps its own name in a form whatever the path; a Blob takes the path, as in browsers.
    file: new Blob(['x']) as File,
  }))
  const parts = [...uploadForm('blog', files)].map(([name, value]) => [
    name,
    value instanceof File ? value.name : value,
  ])
  expect(parts).toEqual([
    ['siteName', 'blog'],
    ['files', 'blog/index.html'],
    ['files', 'blog/css/site.css'],
  ])
})

const orders: [string, string[], string[]][] = [
  [
    'in the picked folder',
    ['a/z', 'a/b/.sitehostignore', 'a/.sitehostignore'],
    ['a/.sitehostignore', 'a/z', 'a/b/.sitehostignore'],
  ],
  [
    'beside loose files',
    ['z', 'b/.sitehostignore', '.sitehostignore'],
    ['.sitehostignore', 'z', 'b/.sitehostignore'],
  ],
  [
    'but not those of one folder among others',
    ['z', 'b/.sitehostignore'],
    ['z', 'b/.sitehostignore'],
  ],
]
test.each(orders)('rules of what is left out come first: %s', (_, sent, expected) => {
  const files = sent.map((path) => ({ path, file: new Blob(['x']) as File }))
  const parts = uploadForm('blog', files).getAll('files')
  expect(parts.map((file) => (file as File).name)).toEqual(expected)
})
