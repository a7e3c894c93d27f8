import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseDid, siteLabel, siteUri } from './site-address.ts'
import { parseSiteName } from './site-name.ts'

const alice = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'

test.each([alice, 'did:web:example.com', 'did:web:a-b.xn--p1ai', `did:web:${'a'.repeat(63)}.com`])(
  '%s is a DID that we follow',
  (did) => {
    expect(String(parseDid(did))).toBe(did)
  },
)

test.each([
  '',
  'alice.test',
  'did:plc:short',
  `${alice}a`,
  'did:plc:EWVI7NXZYOUN6ZHXRHS64OIZ',
  'did:plc:ewvi7nxzyoun6zhxrhs64oi1',
  'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
  'did:web:',
  'did:web:localhost',
  'did:web:localhost%3A6379',
  'did:web:example.com%3A8080',
  'did:web:example.com:path',
  'did:web:example.com/path',
  'did:web:10.0.0.1',
  'did:web:127.1',
  'did:web:0x7f.1',
  'did:web:a.0x7f',
  'did:web:%5B::1%5D',
  'did:web:Example.com',
  'did:web:example.com.',
  'did:web:-a.com',
  'did:web:a-.com',
  `did:web:${'a'.repeat(64)}.com`,
  `did:web:${'a.'.repeat(126)}com`,
])('%s is no DID that we follow', (did) => {
  expect(parseDid(did)).toBeNull()
})

function address(did: string, name: string) {
  const site = { did: parseDid(did), name: parseSiteName(name) }
  if (site.did === null || site.name === null) throw new Error(`no address: ${did}/${name}`)
  return { did: site.did, name: site.name }
}

test('a site has an at:// address', () => {
  expect(siteUri(address(alice, 'blog'))).toBe(`at://${alice}/place.sitehost.fs/blog`)
})

test('the label of a site never changes: links depend on it', () => {
  // printf %s did:plc:ewvi7nxzyoun6zhxrhs64oiz/blog | sha256sum, its bytes in base32, the first 26 characters
  expect(siteLabel(address(alice, 'blog'))).toBe('s--x52v7i6lxac23upqhxgxg42f7a')
})

test('labels are host labels, and differ for every site', () => {
  const labels = new Set<string>()
  fc.assert(
    fc.property(fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9_~:-]{1,40}$/)), (names) => {
      labels.clear()
      for (const name of names) labels.add(siteLabel(address(alice, name)))
      expect(labels.size).toBe(names.length)
      for (const label of labels) expect(label).toMatch(/^s--[a-z2-7]{26}$/)
    }),
  )
})
