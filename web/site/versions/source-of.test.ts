import { expect, test } from 'bun:test'
import { sourceOf } from './source-of.ts'

const sources: [Record<string, unknown> | null, ReturnType<typeof sourceOf>][] = [
  [null, null],
  [{}, null],
  [{ commit: 7 }, null],
  [{ repository: 'acme/blog' }, { text: 'acme/blog', href: null }],
  [
    { repository: 'acme/blog', ref: 'refs/heads/main', commit: '1a2b3c4d5e6f' },
    { text: 'acme/blog@main 1a2b3c4', href: null },
  ],
  [{ url: 'https://ci.example/1' }, { text: 'ci.example', href: 'https://ci.example/1' }],
  [
    { repository: 'acme/blog', url: 'https://ci.example/1' },
    { text: 'acme/blog', href: 'https://ci.example/1' },
  ],
  [
    { repository: '<b>x</b>', url: 'javascript:alert(1)' },
    { text: '<b>x</b>', href: null },
  ],
  [{ url: 'data:text/html,x' }, null],
]
test.each(sources)('%j is shown as %j', (source, shown) => {
  expect(sourceOf(source)).toEqual(shown)
})
