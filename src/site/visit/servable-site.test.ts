import { expect, test } from 'bun:test'
import { parseDid } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { servableSite } from './servable-site.ts'
import type { Snapshot } from './snapshot.ts'

function snapshot(facts: Partial<Snapshot> = {}): Snapshot {
  const did = parseDid('did:plc:ewvi7nxzyoun6zhxrhs64oiz')
  const name = parseSiteName('blog')
  if (did === null || name === null) throw new Error('the fixtures are wrong')
  const texts = { redirects: '', headers: '' }
  const base = { did, name, recordCid: 'r', publishedAt: 1, settings: null, ...texts }
  return { ...base, files: new Map(), ...facts }
}

const $type = 'place.sitehost.settings'

test('what the owner does not say has its default', () => {
  const { settings, ...site } = servableSite(snapshot())
  expect(settings).toEqual({
    indexFiles: ['index.html'],
    cleanUrls: false,
    trailingSlash: 'auto',
    directoryListing: false,
    spaMode: '',
    custom404: '',
    headers: [],
  })
  expect(site).toMatchObject({ indexFiles: ['index.html'], addressForm: 'plain' })
  expect([site.redirects.isEmpty, site.headers.isEmpty]).toEqual([true, true])
  expect(site.earlierAssets.size).toBe(0)
})

test("the owner's settings count, also empty ones", () => {
  const said = { $type, indexFiles: [], cleanUrls: true, trailingSlash: 'never' } as const
  const settings = { ...said, indexFiles: [...said.indexFiles], custom404: 'oops.html' }
  const site = servableSite(snapshot({ settings }))
  expect(site).toMatchObject({ indexFiles: [], addressForm: 'never' })
  expect(site.settings).toMatchObject({ custom404: 'oops.html', directoryListing: false })
})

test("rules are compiled, the settings' headers before the file's", () => {
  const headers = [{ name: 'x-a', value: 'settings' }]
  const rules = { redirects: '/a /b 302!\nnot a rule', headers: '/*\n  x-b: file' }
  const site = servableSite(snapshot({ ...rules, settings: { $type, headers } }))
  expect(site.redirects).toMatchObject({ isEmpty: false, hasForced: true })
  const changed = site.headers.blocks.floating.flatMap(({ rule }) =>
    rule.changes.map(({ name }) => name),
  )
  expect(changed).toEqual(['x-a', 'x-b'])
})

test('directories are listed once', () => {
  const site = servableSite(snapshot())
  expect([...site.directories]).toEqual([['', []]])
  expect(site.directories).toBe(site.directories)
})
