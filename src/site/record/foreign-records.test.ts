import { describe, expect, test } from 'bun:test'
import { partDepthMax } from '#site/limits.ts'
import { foreignNamespaces } from '#site/namespace.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { expandTree } from './expand.ts'
import { parseForeignSettings } from './foreign-settings.ts'
import { type Directory, parseManifest } from './manifest.ts'
import { type PartUri, parsePart, partUri } from './part.ts'

// Records as the tools of the network place.wisp write them.

const owner = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const [wisp] = foreignNamespaces
const name = parseAnySiteName('place.wisp.fs/blog')
if (wisp === undefined || name === null) throw new Error('the fixtures are wrong')

const createdAt = '2026-01-02T03:04:05.678Z'
const link = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const blob = { $type: 'blob', ref: { $link: link }, mimeType: 'application/octet-stream', size: 5 }
const gzipped = { encoding: 'gzip', mimeType: 'text/html', base64: true }

const file = (of: 'fs' | 'subfs', facts: object = {}) => {
  return { $type: `place.wisp.${of}#file`, type: 'file', blob, ...facts }
}
const directory = (of: 'fs' | 'subfs', ...entries: object[]) => {
  return { $type: `place.wisp.${of}#directory`, type: 'directory', entries }
}
const entry = (entryName: string, node: object) => ({ name: entryName, node })
const uri = (key: string): PartUri => partUri(owner, key, wisp)
const part = (of: 'fs' | 'subfs', key: string, facts: object = {}) => {
  return { $type: `place.wisp.${of}#subfs`, type: 'subfs', subject: uri(key), ...facts }
}
const manifest = (root: object, facts: object = {}) => {
  return { $type: 'place.wisp.fs', site: 'blog', root, createdAt, ...facts }
}
const subfs = (...entries: object[]) => {
  return { $type: 'place.wisp.subfs', root: directory('subfs', ...entries), createdAt }
}

function problemsOf(record: unknown): string {
  const parsed = parseManifest(record, name as NonNullable<typeof name>)
  return parsed.ok ? '' : parsed.problems.join('; ')
}

function expand(root: object, parts: Readonly<Record<string, object>> = {}) {
  const parsed = parseManifest(manifest(root), name as NonNullable<typeof name>)
  if (!parsed.ok) throw new Error(parsed.problems.join('; '))
  const roots = new Map<PartUri, Directory>()
  for (const [key, record] of Object.entries(parts)) {
    const read = parsePart(record, wisp)
    if (!read.ok) throw new Error(read.problems.join('; '))
    roots.set(uri(key), read.part.root)
  }
  return expandTree(parsed.manifest.root, owner, roots, wisp)
}

function pathsOf(...given: Parameters<typeof expand>): string[] {
  const expanded = expand(...given)
  return expanded.ok ? [...expanded.files.keys()].sort() : [...expanded.problems]
}

describe('a manifest', () => {
  test('becomes one of ours with the same files', () => {
    const root = directory('fs', entry('a', file('fs', gzipped)), entry('d', directory('fs')))
    const parsed = parseManifest(manifest(root), name)
    expect(parsed).toEqual({
      ok: true,
      manifest: {
        $type: 'place.sitehost.fs',
        site: 'blog',
        root: {
          $type: 'place.sitehost.fs#directory',
          type: 'directory',
          entries: [
            entry('a', {
              $type: 'place.sitehost.fs#file',
              type: 'file',
              ...gzipped,
              blob,
            } as object),
            entry('d', { $type: 'place.sitehost.fs#directory', type: 'directory', entries: [] }),
          ],
        },
        createdAt,
      } as never,
    })
  })

  test.each([
    ['another title than its key', { site: 'Blog' }],
    ['any number of files', { fileCount: 5000 }],
    ['fields of other lexicons', { more: [1] }],
  ])('may have %s', (_, facts) => expect(problemsOf(manifest(directory('fs'), facts))).toBe(''))

  test('may have 600 entries in a directory', () => {
    const many = Array.from({ length: 600 }, (_, i) => entry(`f${i}`, file('fs')))
    expect(pathsOf(directory('fs', entry('d', directory('fs', ...many))))).toHaveLength(600)
  })

  test('may have names of what objects have', () => {
    const names = ['__proto__', 'constructor']
    expect(pathsOf(directory('fs', ...names.map((each) => entry(each, file('fs')))))).toEqual(names)
  })

  test.each([
    ['of our network', { ...manifest(directory('fs')), $type: 'place.sitehost.fs' }, 'its type'],
    [
      'with a node of our network',
      manifest(directory('fs', entry('a', { ...file('fs'), $type: 'place.sitehost.fs#file' }))),
      'neither file, directory nor subfs',
    ],
    ['without a date', { ...manifest(directory('fs')), createdAt: undefined }, 'its lexicon'],
    [
      'with an encoding that is none',
      manifest(directory('fs', entry('a', file('fs', { encoding: 'br' })))),
      'its lexicon',
    ],
    [
      'with a path twice',
      manifest(directory('fs', entry('a', file('fs')), entry('a', file('fs')))),
      'is there twice',
    ],
    ['with a bad name', manifest(directory('fs', entry('..', file('fs')))), 'bad name'],
  ])('%s is refused', (_, record, problem) => expect(problemsOf(record)).toContain(problem))
})

describe('parts', () => {
  test('are merged unless a manifest says otherwise, and always inside parts', () => {
    const root = directory(
      'fs',
      entry('x', part('fs', 'p')),
      entry('y', part('fs', 'q', { flat: false })),
    )
    const parts = {
      p: subfs(entry('a', file('subfs')), entry('z', part('subfs', 'r', { flat: false }))),
      q: subfs(entry('b', file('subfs'))),
      r: subfs(entry('c', file('subfs'))),
    }
    expect(pathsOf(root, parts)).toEqual(['a', 'c', 'y/b'])
  })

  const chain = (length: number): Record<string, object> =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => [
        `p${i}`,
        subfs(i + 1 < length ? entry('x', part('subfs', `p${i + 1}`)) : entry('a', file('subfs'))),
      ]),
    )

  test(`nest ${partDepthMax} deep, and no deeper`, () => {
    const root = directory('fs', entry('x', part('fs', 'p0')))
    expect(pathsOf(root, chain(partDepthMax))).toEqual(['a'])
    expect(pathsOf(root, chain(partDepthMax + 1))).toEqual([
      `parts are nested more than ${partDepthMax} deep`,
    ])
  })

  test('of other accounts, of our network or that contain themselves are refused', () => {
    const naming = (subject: string) =>
      pathsOf(directory('fs', entry('x', part('fs', '', { subject }))))
    for (const subject of [
      partUri('did:plc:bbbbbbbbbbbbbbbbbbbbbbbb', 'p', wisp),
      partUri(owner, 'p'),
    ]) {
      expect(naming(subject)).toEqual([`"${subject}" is not a part of this site’s owner`])
    }
    const parts = {
      p: subfs(entry('x', part('subfs', 'q'))),
      q: subfs(entry('x', part('subfs', 'p'))),
    }
    expect(pathsOf(directory('fs', entry('x', part('fs', 'p'))), parts)).toEqual([
      `the part ${uri('p')} contains itself`,
    ])
  })

  test('with a path of the manifest are refused', () => {
    const root = directory('fs', entry('a', file('fs')), entry('x', part('fs', 'p')))
    expect(pathsOf(root, { p: subfs(entry('a', file('subfs'))) })).toEqual(['"a" is there twice'])
  })

  test('must be of that network', () => {
    const own = { ...subfs(), $type: 'place.sitehost.subfs' }
    expect(parsePart(own, wisp)).toEqual({
      ok: false,
      problems: ['its type is not place.wisp.subfs'],
    })
    expect(parsePart(subfs()).ok).toBe(false)
  })
})

describe('settings', () => {
  const parse = (fields: object) =>
    parseForeignSettings({ $type: 'place.wisp.settings', ...fields })

  test('become ours', () => {
    const header = {
      $type: 'place.wisp.settings#customHeader',
      name: 'X-A',
      value: 'b',
      path: '*.js',
    }
    expect(parse({ cleanUrls: true, directoryListing: false, headers: [header] })).toEqual({
      settings: {
        $type: 'place.sitehost.settings',
        cleanUrls: true,
        directoryListing: false,
        headers: [{ name: 'X-A', value: 'b', path: '*.js' }],
      },
      problems: [],
    })
  })

  test('what ours do not permit is left out, and the rest is used', () => {
    const { problems, settings } = parse({
      custom404: 'oops.html',
      trailingSlash: 'never',
      history: { keep: 5 },
      indexFiles: ['docs/index.html', 'home.html'],
      headers: [
        { name: 'Content-Length', value: '1' },
        { name: 'X-A', value: 'b', path: '' },
        null,
        { name: 'X-B' },
      ],
    })
    expect(settings).toEqual({
      $type: 'place.sitehost.settings',
      custom404: 'oops.html',
      indexFiles: ['home.html'],
      headers: [{ name: 'X-A', value: 'b' }],
    })
    expect(problems).toHaveLength(4)
    expect(problems.join()).toContain('it is left out')
  })

  test.each([
    [{ spaMode: 'a.html', directoryListing: true }],
    [{ spaMode: 5 }],
    [{ cleanUrls: 'yes' }],
  ])('%j are not used', (fields) => {
    const { problems, settings } = parse(fields)
    expect(settings).toBeNull()
    expect(problems.join()).toStartWith('the settings are not used')
  })

  test.each([
    [null],
    ['x'],
    [{ headers: { length: 3 }, indexFiles: 'a' }],
    [{ headers: Array.from({ length: 9999 }, () => null) }],
  ])('%# never throws', (input) => {
    expect(parseForeignSettings(input).problems.length).toBeLessThan(21)
  })
})
