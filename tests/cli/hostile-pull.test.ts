import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CommandContext } from '#cli/command-context.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { fileIn, hostileRows, manifest } from '#tests/support/hostile/hostile-rows.ts'
import { expectRefusal, type PullPlace, startPullPlace } from '#tests/support/hostile/pull-place.ts'

// The table of hostile inputs, for `pull`: records that somebody else has signed.

let place: PullPlace
beforeAll(async () => {
  place = await startPullPlace()
})
afterEach(() => {
  delete place.pds.lies.blob
})
afterAll(() => place[Symbol.asyncDispose]())

const leftOutOf = (said: readonly string[]): string[] =>
  JSON.parse(said.join())
    .leftOut.map(({ path }: { path: string }) => path)
    .sort()

describe('a record', () => {
  const refused = hostileRows.filter(({ problem }) => problem !== null)
  test.each(refused.map((row, n) => [row.id, row.what, row, n] as const))(
    '%s %s: nothing of it is written, and a sentence says so',
    async (_, __, row, n) => {
      const site = `refused-${n}`
      await place.pds.putRecord(`place.sitehost.fs/${site}`, await row.record(place.repo, site))
      expectRefusal(await place.pull(site))
    },
    20_000,
  )

  const accepted = hostileRows.filter(({ problem }) => problem === null)
  test.each(accepted.map((row, n) => [row.id, row.what, row, n] as const))(
    '%s %s: its files are in the folder, with their content',
    async (_, __, row, n) => {
      const site = `accepted-${n}`
      await place.pds.putRecord(`place.sitehost.fs/${site}`, await row.record(place.repo, site))
      const { code, folder, names } = await place.pull(site)
      expect(code).toBe(0)
      for (const [path, content] of Object.entries(row.serves ?? {})) {
        const name = decodeURIComponent(path.slice(1))
        expect(names).toContain(name)
        expect(Buffer.from(await Bun.file(join(folder, name)).bytes()).toString()).toBe(content)
      }
    },
  )

  test('whose names some file system takes for .git or for a device: they are left out', async () => {
    const names = ['.GIT', '.git.', '.git ', 'git~1', '.g\u200cit', '.git::$INDEX_ALLOCATION']
    await place.put({
      ...Object.fromEntries(names.map((name) => [name, 'x'])),
      'index.html': 'home',
    })
    const { code, names: written, said } = await place.pull('blog')
    expect({ code, written }).toEqual({ code: 3, written: ['index.html'] })
    expect(leftOutOf(said)).toEqual(names.sort())
  })

  test('that makes a Git repository of the folder: Git takes it for none, and runs nothing of its config', async () => {
    const obeyed = join(place.dir, 'obeyed')
    const config = `[core]\nbare = false\nworktree = "."\nfsmonitor = "touch ${obeyed}; false"\n`
    const repository = { HEAD: 'ref: refs/heads/main\n', 'objects/a': 'x', 'refs/a': 'x', config }
    const linked = { 'a/head': repository.HEAD, 'a/commondir': 'b', 'a/b/objects/a': 'x' }
    await place.put({ ...repository, ...linked, 'a/b/refs/a': 'x', 'a/b/config': config })
    const { code, folder, said, complaints } = await place.pull('blog')
    expect({ code, leftOut: leftOutOf(said) }).toEqual({ code: 3, leftOut: ['HEAD', 'a/head'] })
    expect(complaints).toContain('left out: HEAD (Git would take its folder for a repository)')
    expect(complaints).toContain(`${folder} is not the whole site: 2 files left out.`)
    for (const cwd of [folder, join(folder, 'a')]) {
      await Bun.spawn(['git', 'status'], { cwd, stdout: 'ignore', stderr: 'ignore' }).exited
    }
    expect(existsSync(obeyed)).toBe(false)
  })

  test('whose names editors and this tool obey: they are left out, dot files unless they are wanted', async () => {
    const dotFiles = ['.hg', '.mcp.json', '.nojekyll']
    const all = [...dotFiles, 'sitehost.json', '.well-known/x', 'index.html']
    await place.put(Object.fromEntries(all.map((name) => [name, '{}'])))
    const { code, said } = await place.pull('blog')
    const leftOut = [...dotFiles, 'sitehost.json']
    expect({ code, leftOut: leftOutOf(said) }).toEqual({ code: 3, leftOut })
    const trusted = await place.pull('blog', undefined, ['--dot-files'])
    expect(leftOutOf(trusted.said)).toEqual(['sitehost.json'])
    expect(trusted.names).toContain('.nojekyll')
  })

  test('of a site that is called as a folder that programs obey: a folder has to be named', async () => {
    await place.pds.putRecord('place.sitehost.fs/.vscode', manifest('.vscode', []))
    const end = await place.run(['pull', `${alice}/.vscode`])
    expect(end).toMatchObject({ code: 1, said: [] })
    expect(end.complaints).toContain('Name a folder: .vscode is none that is safe to make here')
    expect((await place.pull('.vscode')).code).toBe(0)
  })

  test('that says another size than its file has', async () => {
    const node = (await fileIn(place.repo, 'home')) as { blob: { size: number } }
    const larger = { ...node, blob: { ...node.blob, size: 5 } }
    const record = manifest('larger', [{ name: 'index.html', node: larger }])
    await place.pds.putRecord('place.sitehost.fs/larger', record)
    const end = await place.pull('larger')
    expectRefusal(end)
    expect(end.complaints).toContain('index.html is not what its record says')
  })

  test('with more than MAX_SITE_FILES or MAX_SITE_BYTES: it ends there', async () => {
    await place.put({ a: 'one', b: 'two' })
    const limited = (limits: Partial<CommandContext['limits']>) =>
      place.pull('blog', (context) => ({ ...context, limits: { ...context.limits, ...limits } }))
    expect((await limited({ siteFilesMax: 1 })).complaints).toContain('(MAX_SITE_FILES)')
    expect((await limited({ siteBytesMax: 5 })).complaints).toContain('(MAX_SITE_BYTES)')
    expect((await limited({ fileBytesMax: 2 })).complaints).toContain('(MAX_FILE_BYTES)')
  })
})

describe('the folder', () => {
  test('that has anything, and were it a link that leads nowhere, is left alone', async () => {
    await place.put({ 'index.html': 'home' })
    const folder = join(place.dir, 'linked')
    await mkdir(folder)
    await symlink('/nonexistent', join(folder, 'index.html'))
    const end = await place.run(['pull', `${alice}/blog`, folder])
    expect(end).toMatchObject({ code: 1, said: [] })
    expect(end.complaints).toContain('is not empty')
  })

  test('in which a name is taken meanwhile, as by a name that differs in case only: it is kept', async () => {
    await place.put({ 'index.html': 'home' })
    const folder = join(place.dir, 'taken')
    const outside = join(place.dir, 'outside')
    place.pds.lies.blob = async (bytes) => {
      await mkdir(folder, { recursive: true })
      await symlink(outside, join(folder, 'index.html'))
      return new Response(bytes)
    }
    const end = await place.run(['pull', `${alice}/blog`, folder])
    expect(end).toMatchObject({ code: 1, said: [] })
    expect(end.complaints).toContain('index.html cannot be written')
    expect(existsSync(outside)).toBe(false)
  })

  test('of a pull that is interrupted has some of the files, and a sentence says so', async () => {
    await place.put({ 'a.html': 'one', 'b.html': 'two' })
    const stop = new AbortController()
    const folder = join(place.dir, 'interrupted')
    const fetched = Promise.withResolvers<void>()
    let asked = 0
    place.pds.lies.blob = async (bytes) => {
      asked += 1
      if (asked === 1) return new Response(bytes)
      await fetched.promise
      stop.abort('SIGINT')
      return new Response(bytes)
    }
    const { signal } = stop
    const args = ['pull', `${alice}/blog`, folder]
    const { complaints } = await place.run(args, (context) => {
      context.console.progress = () => fetched.resolve()
      return { ...context, signal }
    })
    expect(complaints).toContain(`${folder} has 1 of 2 files. Delete it before you pull again.`)
  })

  test('that cannot be made is told in a sentence', async () => {
    await place.put({ 'index.html': 'home' })
    await writeFile(join(place.dir, 'file'), '')
    const dangling = join(place.dir, 'dangling')
    await symlink('/nonexistent/x', dangling)
    for (const folder of [join(place.dir, 'file/sub'), dangling]) {
      const end = await place.run(['pull', `${alice}/blog`, folder])
      expect(end).toMatchObject({ code: 1, said: [] })
      expect(end.complaints).not.toMatch(/^ +at /m)
    }
  })
})
