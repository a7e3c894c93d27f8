import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { snapshotOf } from '#tests/support/visitors/served-site.ts'
import { hashesNamedIn } from './named-hashes.ts'
import { encodeSnapshot, type SnapshotFile } from './snapshot.ts'

const hash = fc.string({
  unit: fc.constantFrom(...'0123456789abcdef'),
  minLength: 64,
  maxLength: 64,
})
const file = (of: string): SnapshotFile => ({
  cid: 'cid',
  hash: of,
  coding: 'identity',
  storedBytes: 1,
  bytes: 1,
  contentType: 'text/html',
})

test('every hash of a snapshot is found in its text, whatever its files are called', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), hash, { maxKeys: 20 }),
      fc.string(),
      (hashes, redirects) => {
        const files = Object.fromEntries(
          Object.entries(hashes).map(([path, of]) => [path, file(of)]),
        )
        const found = new Set(hashesNamedIn(encodeSnapshot(snapshotOf(files, { redirects }))))
        for (const of of Object.values(hashes)) expect(found).toContain(of)
      },
    ),
  )
})

test('also in a snapshot that was cut off', () => {
  const text = encodeSnapshot(snapshotOf({ a: file('a'.repeat(64)), b: file('b'.repeat(64)) }))
  expect([...hashesNamedIn(text.slice(0, text.indexOf('bbb')))]).toEqual(['a'.repeat(64)])
})

test.each(['', 'null', '{"files":[]}', `"${'a'.repeat(63)}"`, `"${'A'.repeat(64)}"`])(
  'none in %j',
  (text) => {
    expect([...hashesNamedIn(text)]).toEqual([])
  },
)
