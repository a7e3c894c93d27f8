import { describe, expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import { siteLabel } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { versionLabel } from '#site/version-label.ts'
import type { FileNode } from './manifest.ts'
import type { SiteSettings } from './settings.ts'
import { versionDigest } from './version-digest.ts'

const file = (size: number, change: Partial<FileNode> = {}): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size,
  },
  ...change,
})
const otherBlob = {
  ...file(1).blob,
  ref: { $link: 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq' },
}
const filesOf = (...files: [path: string, node: FileNode][]) =>
  new Map(files.map(([path, node]) => [path as SitePath, node]))

const settings = (fields: object) =>
  ({ $type: 'place.sitehost.settings', ...fields }) as SiteSettings

const two = filesOf(['a', file(1)], ['b', file(2)])
const digest = versionDigest(two, null)

test('is 64 hexadecimal characters, the same on every Sitehost', () => {
  expect(digest).toBe('96a62e7304d942c5d0c2cf911fdc42942295689e584512376d451fd25c4b8632')
})

describe('the same for', () => {
  test.each([
    ['files in another order', filesOf(['b', file(2)], ['a', file(1)]), null],
    [
      'fields that say what absent ones say',
      filesOf(['a', file(1, { base64: false })], ['b', file(2)]),
      null,
    ],
    ['settings without a field', two, settings({})],
    ['settings that keep more versions', two, settings({ history: { keep: 5 } })],
  ])('%s', (_, files, said) => expect(versionDigest(files, said)).toBe(digest))

  test('settings with their fields in another order', () => {
    const one = settings({ cleanUrls: true, headers: [{ name: 'a', value: 'b' }] })
    const other = settings({ headers: [{ value: 'b', name: 'a' }], cleanUrls: true })
    expect(versionDigest(two, one)).toBe(versionDigest(two, other))
  })
})

describe('another one for', () => {
  test.each([
    ['another path', filesOf(['a', file(1)], ['c', file(2)]), null],
    ['another blob', filesOf(['a', file(1, { blob: otherBlob })], ['b', file(2)]), null],
    ['another coding', filesOf(['a', file(1, { encoding: 'gzip' })], ['b', file(2)]), null],
    ['base64', filesOf(['a', file(1, { base64: true })], ['b', file(2)]), null],
    ['another media type', filesOf(['a', file(1, { mimeType: 'a/b' })], ['b', file(2)]), null],
    ['a file less', filesOf(['a', file(1)]), null],
    ['settings', two, settings({ cleanUrls: false })],
  ])('%s', (_, files, said) => expect(versionDigest(files, said)).not.toBe(digest))
})

test('the label of a version is one of a host name, and of one site only', () => {
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  const address = (name: string) => ({ did, name: parseSiteName(name) as SiteName }) as const
  const label = versionLabel(address('blog'), digest)
  expect(label).toMatch(/^v--[a-z2-7]{26}$/)
  expect(versionLabel(address('blog'), digest)).toBe(label)
  expect(versionLabel(address('shop'), digest)).not.toBe(label)
  expect(label.slice(3)).not.toBe(siteLabel(address('blog')).slice(3))
})
