import { expect, test } from 'bun:test'
import { ruleFileBytesMax } from '#site/limits.ts'
import { servableSiteSteps } from '#site/visit/servable-site.ts'
import type { Snapshot } from '#site/visit/snapshot.ts'
import { snapshotOf } from '#tests/support/visitors/served-site.ts'

test.each<[string, string]>([
  ['long rules', `/:a/* /:a${'/:splat'.repeat(200)}\n`],
  ['short rules', '/a /b\n'],
  ['lines that are no rules', 'x\n'],
  ['empty lines', '\n'],
  ['headers below one path', 'X: b\n'],
])('a site pauses often while its files are read: %s', (_, line) => {
  const text = `/*\n${line.repeat(Math.floor(ruleFileBytesMax / line.length) - 1)}`
  const pausesFor = (files: Pick<Snapshot, 'redirects' | 'headers'>): number =>
    [...servableSiteSteps(snapshotOf({}, files))].length
  expect(pausesFor({ redirects: text, headers: '' })).toBeGreaterThan(50)
  expect(pausesFor({ redirects: '', headers: text })).toBeGreaterThan(50)
})
