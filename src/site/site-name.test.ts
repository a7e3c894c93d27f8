import { describe, expect, test } from 'bun:test'
import { toBase32 } from '@atcute/multibase'
import { parseSiteUri, siteLabel, siteUri } from './site-address.ts'
import {
  isForeignName,
  namespaceOf,
  parseAnySiteName,
  parseSiteName,
  recordKeyOf,
} from './site-name.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'

describe.each([
  ['blog', 'place.sitehost.fs'],
  ['place.wisp.fs', 'place.sitehost.fs'],
  ['place.wisp.fs/blog', 'place.wisp.fs'],
])('%s', (text, collection) => {
  const name = parseAnySiteName(text)
  if (name === null) throw new Error('no name')

  test(`is a record of ${collection}`, () => {
    expect<string>(namespaceOf(name).fs).toBe(collection)
    expect(siteUri({ did, name })).toBe(`at://${did}/${collection}/${recordKeyOf(name)}`)
  })

  test('is read again from its addresses', () => {
    expect(parseSiteUri(siteUri({ did, name }))).toEqual({ did, name })
    expect(parseSiteUri(`${did}/${name}`)).toEqual({ did, name })
  })

  test('is a name of our network unless it has a slash', () => {
    expect(isForeignName(name)).toBe(text.includes('/'))
    expect(parseSiteName(text)).toBe(text.includes('/') ? null : name)
  })
})

test.each([
  '',
  'a/b',
  'place.sitehost.fs/blog',
  'place.wisp.subfs/blog',
  'place.wisp.fs/',
  'place.wisp.fs/a/b',
  'place.wisp.fs/..',
  'place.wisp.fs//blog',
  'constructor/blog',
])('%j is none', (text) => expect(parseAnySiteName(text)).toBeNull())

test('the permanent hosts of sites with the same record key differ', () => {
  const hashed = (text: string): string => {
    const hash = new Bun.CryptoHasher('sha256').update(`${did}/${text}`).digest()
    return `s--${toBase32(hash).slice(0, 26)}`
  }
  for (const text of ['blog', 'place.wisp.fs/blog']) {
    const name = parseAnySiteName(text)
    expect(name && siteLabel({ did, name })).toBe(hashed(text))
  }
})

test.each([
  `at://${did}`,
  `at://${did}/place.wisp.fs/a/b`,
  `at://${did}/app.bsky.feed.post/a`,
  'at://alice.example/place.wisp.fs/a',
])('%s is the address of no site', (text) => expect(parseSiteUri(text)).toBeNull())
