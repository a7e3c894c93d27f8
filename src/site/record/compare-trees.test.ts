import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ComparedFile, compareSettings, compareTrees } from './compare-trees.ts'
import type { SiteSettings } from './settings.ts'

const file = (hash: string, bytes = 1): ComparedFile => ({
  hash,
  coding: 'identity',
  contentType: 'text/plain',
  bytes,
})

describe('files', () => {
  test('are added, changed or removed, in the order of their paths', () => {
    const from = new Map([
      ['same', file('1')],
      ['z-gone', file('2', 20)],
      ['a-gone', file('3', 30)],
      ['page', file('4', 40)],
    ])
    const to = new Map([
      ['new', file('5', 50)],
      ['page', file('6', 60)],
      ['same', file('1')],
    ])
    expect(compareTrees(from, to)).toEqual({
      added: [{ path: 'new', bytes: 50 }],
      changed: [{ path: 'page', bytes: 60 }],
      removed: [
        { path: 'a-gone', bytes: 30 },
        { path: 'z-gone', bytes: 20 },
      ],
    })
  })

  test('with another coding or media type are changed', () => {
    const from = new Map([['a', file('1')]])
    const changed = [{ path: 'a', bytes: 1 }]
    for (const to of [{ coding: 'gzip' }, { contentType: 'text/html' }]) {
      const { changed: found } = compareTrees(from, new Map([['a', { ...file('1'), ...to }]]))
      expect(found).toEqual(changed)
    }
  })

  const tree = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'é', '\u{10000}'), fc.constantFrom('1', '2'))
    .map((files) => new Map(Object.entries(files).map(([path, hash]) => [path, file(hash)])))

  test('of a version and itself do not differ', () => {
    fc.assert(
      fc.property(tree, (files) => {
        expect(compareTrees(files, new Map(files))).toEqual({ added: [], changed: [], removed: [] })
      }),
    )
  })

  test('lead there and back', () => {
    fc.assert(
      fc.property(tree, tree, (from, to) => {
        const [there, back] = [compareTrees(from, to), compareTrees(to, from)]
        expect(back.added).toEqual(there.removed)
        expect(back.removed).toEqual(there.added)
        expect(back.changed.map(({ path }) => path)).toEqual(there.changed.map(({ path }) => path))
      }),
    )
  })
})

describe('settings', () => {
  const settings = (fields: Partial<SiteSettings>): SiteSettings => ({
    $type: 'place.sitehost.settings',
    ...fields,
  })

  test('differ by field', () => {
    const from = settings({ cleanUrls: true, custom404: '404.html' })
    const to = settings({ cleanUrls: true, spaMode: 'index.html', indexFiles: ['start.html'] })
    expect(compareSettings(from, to)).toEqual([
      { field: 'custom404', from: '404.html', to: null },
      { field: 'indexFiles', from: ['index.html'], to: ['start.html'] },
      { field: 'spaMode', from: null, to: 'index.html' },
    ])
  })

  test('that are not set equal their defaults, with and without a record', () => {
    const unset = settings({ cleanUrls: false, spaMode: '', headers: [] })
    expect(compareSettings(null, unset)).toEqual([])
    expect(compareSettings(settings({}), null)).toEqual([])
  })
})
