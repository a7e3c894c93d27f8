import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { alice } from '#tests/support/database/sample-rows.ts'
import { foreignRepo, foreignRows } from '#tests/support/hostile/foreign-repo.ts'
import { expectRefusal, type PullPlace, startPullPlace } from '#tests/support/hostile/pull-place.ts'

// `pull`, `verify` and `explain` of sites of place.wisp, whose records are as its tools write them.

const uri = `at://${alice}/place.wisp.fs/blog`
const createdAt = '2026-01-02T03:04:05.678Z'
const pages: Readonly<Record<string, string>> = {
  'index.htm': '<h1>home</h1>',
  'not_found.html': '<h1>nothing</h1>',
  'posts/deep.html': '<h1>deep</h1>'.repeat(50),
}

let place: PullPlace
beforeAll(async () => {
  place = await startPullPlace()
  const fileOf = async (of: 'fs' | 'subfs', text: string) => ({
    $type: `place.wisp.${of}#file`,
    type: 'file',
    blob: await place.repo.blob(
      new TextEncoder().encode(new Uint8Array(gzipSync(text)).toBase64()),
      'application/octet-stream',
    ),
    ...{ encoding: 'gzip', base64: true, mimeType: 'text/html' },
  })
  const directory = (of: 'fs' | 'subfs', entries: readonly object[]) => ({
    $type: `place.wisp.${of}#directory`,
    ...{ type: 'directory', entries },
  })
  const { 'posts/deep.html': deep = '', ...top } = pages
  const inPart = { name: 'deep.html', node: await fileOf('subfs', deep) }
  await place.pds.putRecord('place.wisp.subfs/posts', {
    $type: 'place.wisp.subfs',
    root: directory('subfs', [inPart]),
    createdAt,
  })
  const subject = `at://${alice}/place.wisp.subfs/posts`
  const part = { $type: 'place.wisp.fs#subfs', type: 'subfs', subject, flat: false }
  const files = Object.entries(top).map(async ([name, text]) => {
    return { name, node: await fileOf('fs', text) }
  })
  await place.pds.putRecord('place.wisp.fs/blog', {
    $type: 'place.wisp.fs',
    site: 'Blog',
    root: directory('fs', [...(await Promise.all(files)), { name: 'posts', node: part }]),
    fileCount: 3,
    createdAt,
  })
  await place.pds.putRecord('place.wisp.settings/blog', {
    $type: 'place.wisp.settings',
    headers: [{ $type: 'place.wisp.settings#customHeader', name: 'X-Of', value: 'wisp', path: '' }],
  })
})
afterAll(() => place[Symbol.asyncDispose]())

describe('pull', () => {
  test('writes its files, each as its owner signed it', async () => {
    const { code, folder, said } = await place.pull('place.wisp.fs/blog')
    expect(code).toBe(0)
    expect(JSON.parse(said.join())).toMatchObject({ site: 'place.wisp.fs/blog', uri, files: 3 })
    for (const [path, text] of Object.entries(pages)) {
      expect(await Bun.file(join(folder, path)).text()).toBe(text)
    }
  })

  test.each([uri, `${alice}/place.wisp.fs/blog`, 'place.wisp.fs/blog'])('of %s', async (name) => {
    const folder = join(place.dir, Bun.randomUUIDv7())
    expect(await place.run(['pull', name, folder, '--account', alice])).toMatchObject({ code: 0 })
  })

  test('without a folder writes into one with the name of the site', async () => {
    const there = join(place.dir, 'there')
    await mkdir(there)
    const before = process.cwd()
    process.chdir(there)
    try {
      const { code, said } = await place.run(['pull', `${alice}/place.wisp.fs/blog`, '--json'])
      expect(code).toBe(0)
      expect(JSON.parse(said.join()).folder).toBe('blog')
    } finally {
      process.chdir(before)
    }
    expect(await Bun.file(join(there, 'blog/index.htm')).text()).toBe('<h1>home</h1>')
  })

  test('of a version is refused: that network has none', async () => {
    for (const at of ['previous', '3mkq2vtpdbk2c']) {
      const end = await place.pull('place.wisp.fs/blog', undefined, ['--at', at])
      expectRefusal(end)
      expect(end.complaints).toContain('Sites of place.wisp have no versions.')
    }
  })

  test('of networks and names that are none is a mistake', async () => {
    for (const name of ['place.other.fs/blog', 'place.wisp.fs/a/b', 'place.wisp.fs/']) {
      expect(await place.pull(name)).toMatchObject({ code: 2, said: [], names: [] })
    }
    const end = await place.run(['pull', `at://${alice}/place.wisp.subfs/posts`])
    expect(end).toMatchObject({ code: 2, said: [] })
  })

  test('of a site that is only ours by that name, or only theirs, finds none', async () => {
    const ours = await place.pull('blog')
    expectRefusal(ours)
    expect(ours.complaints).toContain(`There is no at://${alice}/place.sitehost.fs/blog.`)
  })
})

describe('a hostile record', () => {
  test.each(foreignRows.map((row, n) => [row.id, row.what, row, n] as const))(
    '%s %s',
    async (_, __, row, n) => {
      const repo = foreignRepo(place.repo)
      await repo.put(`place.sitehost.fs/row-${n}`, await row.record(repo, `row-${n}`))
      const end = await place.pull(`place.wisp.fs/row-${n}`)
      if (row.problem !== null) return expectRefusal(end)
      expect(end.code).toBe(0)
      for (const [path, content] of Object.entries(row.serves ?? {})) {
        const file = Bun.file(join(end.folder, decodeURIComponent(path.slice(1))))
        expect(await file.text()).toBe(content)
      }
    },
    20_000,
  )
})

describe('a page', () => {
  const answers: Readonly<Record<string, (headers: HeadersInit) => Response>> = {
    '/': (headers) => new Response(pages['index.htm'], { headers }),
    '/posts/deep.html': (headers) => new Response(pages['posts/deep.html'], { headers }),
    '/none': (headers) => new Response(pages['not_found.html'], { status: 404, headers }),
    '/index.htm': (headers) => new Response('<h1>hOme</h1>', { headers }),
  }
  const startHost = (headers: HeadersInit = {}) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: ({ url }) =>
        answers[new URL(url).pathname]?.(headers) ?? new Response('', { status: 404 }),
    })

  test('of a host that says its record is verified, by the conventions of its network', async () => {
    using host = startHost({ 'x-sitehost-record': uri })
    for (const [path, file] of [
      ['', 'index.htm'],
      ['posts/deep.html', 'posts/deep.html'],
      ['none', 'not_found.html'],
    ]) {
      const { code, said } = await place.run(['verify', `${host.url}${path}`, '--json'])
      expect(code).toBe(0)
      expect(JSON.parse(said.join())).toMatchObject({ verified: true, path: file, uri, live: true })
    }
    const changed = await place.run(['verify', `${host.url}index.htm`])
    expect(changed).toMatchObject({ code: 1, said: [] })
    expect(changed.complaints).toContain('it differs from index.htm of the site at byte 5')
  })

  test('of a host that does not needs the name of the site', async () => {
    using host = startHost()
    const named = ['--site', `${alice}/place.wisp.fs/blog`]
    expect(await place.run(['verify', `${host.url}`, ...named])).toMatchObject({ code: 0 })
    expect(await place.run(['verify', `${host.url}`])).toMatchObject({ code: 1 })
    const all = await place.run(['verify', `${host.url}`, ...named, '--all', '--json'])
    expect(all.code).toBe(1)
    const { files } = JSON.parse(all.said.join())
    expect(files).toMatchObject({ total: 3, verified: 1 })
    expect(files.problems.map(({ path }: { path: string }) => path).sort()).toEqual([
      'index.htm',
      'not_found.html',
    ])
  })

  test('is another site’s than ours of the same name', async () => {
    using host = startHost({ 'x-sitehost-record': uri })
    const { code, complaints } = await place.run([
      'verify',
      `${host.url}`,
      '--site',
      `${alice}/blog`,
    ])
    expect(code).toBe(1)
    expect(complaints).toContain(`shows ${uri}, not at://${alice}/place.sitehost.fs/blog.`)
  })

  test.each(['place.other.fs/blog', 'place.wisp.subfs/posts', 'place.wisp.fs/../x', 'blog'])(
    'of a host that says %s needs the name of the site, too',
    async (path) => {
      using host = startHost({ 'x-sitehost-record': `at://${alice}/${path}` })
      const { code, complaints } = await place.run(['verify', `${host.url}`])
      expect(code).toBe(1)
      expect(complaints).toContain('does not say whose record this is')
    },
  )

  test('is explained by the conventions and settings of its network', async () => {
    using host = startHost({ 'x-sitehost-record': uri })
    const { said } = await place.run(['explain', `${host.url}`, '--json'])
    const { headers, ...explained } = JSON.parse(said.join())
    expect(explained).toMatchObject({ status: 200, by: 'file', file: 'index.htm', uri })
    expect(headers).toContainEqual(expect.objectContaining({ name: 'x-of', value: 'wisp' }))
  })
})
