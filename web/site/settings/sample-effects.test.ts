import { expect, test } from 'bun:test'
import '#web/words/own-settings.ts'
import { addressSamples, indexSample, missingSample } from './sample-effects.ts'

const site = { host: 'ann.example', paths: ['index.html', 'me.html', 'blog/start.html', 'oh.html'] }
const shown = (samples: readonly { address: string; result: string }[]) =>
  samples.map(({ address, result }) => `${address} → ${result}`)

test.each([
  [{ cleanUrls: false, trailingSlash: 'auto' }, ['ann.example/me.html → me.html']],
  [
    { cleanUrls: true, trailingSlash: 'auto' },
    ['ann.example/me → me.html', 'ann.example/me.html → /me'],
  ],
  [
    { cleanUrls: true, trailingSlash: 'always' },
    ['ann.example/me/ → me.html', 'ann.example/me.html → /me/'],
  ],
] as const)('addresses with %j', (draft, effects) => {
  expect(shown(addressSamples(draft, site))).toEqual([...effects])
})

const plain = { cleanUrls: true, trailingSlash: 'auto' } as const
test.each([
  [{ ...plain, indexFiles: 'index.html, start.html' }, ['ann.example/blog/ → blog/start.html']],
  [{ ...plain, indexFiles: 'index.html' }, ['ann.example/blog/ → blog/index.html']],
  [
    { ...plain, trailingSlash: 'never', indexFiles: 'start.html' },
    ['ann.example/blog → blog/start.html'],
  ],
  [{ ...plain, indexFiles: ' , ' }, []],
] as const)('folders with %j', (draft, effects) => {
  expect(shown(indexSample(draft, site))).toEqual([...effects])
})

const pages = { spaMode: 'index.html', custom404: 'oh.html' }
test.each([
  ['notFound', ['ann.example/missing → a plain “not found” page']],
  ['custom404', ['ann.example/missing → oh.html']],
  ['spaMode', ['ann.example/missing → index.html']],
  [
    'directoryListing',
    ['ann.example/images/ → a list of its files', 'ann.example/missing → a plain “not found” page'],
  ],
] as const)('missing pages with %s', (whenMissing, effects) => {
  expect(shown(missingSample({ ...pages, whenMissing }, site))).toEqual([...effects])
})

test('of files that are not known yet, the best is assumed', () => {
  const unknown = { host: 'ann.example', paths: null }
  expect(shown(missingSample({ ...pages, whenMissing: 'notFound' }, unknown))).toEqual([
    'ann.example/missing → 404.html',
  ])
})
