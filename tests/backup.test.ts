import { expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { backUp } from '#main/backup/back-up.ts'
import { hasTables } from '#main/backup/postgres-tools.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { onEachDatabase } from '#tests/support/database/databases.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { programPath } from '#tests/support/require.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Everything is destroyed and comes back from a backup that was made under load.

const siteCount = 8
const pages = ['index.html', 'about.html', 'docs/a.txt']

await onEachDatabase('backup', (make, dialect) => {
  test('made under load, everything destroyed, restored: every site is the same, byte by byte', async () => {
    await using own = dialect === 'postgres' ? await make() : null
    const databaseUrl = own?.options.url
    const environment = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
    const dir = await mkdtemp(join(tmpdir(), 'sitehost-backup-'))
    const folder = join(dir, 'backup')
    await using world = await startWorld({ environment })
    const alice = await world.signedIn('alice.test')
    const did = await didOf(alice)
    for (let n = 0; n < siteCount; n++) await alice.publish(`site-${n}`, filesOf(`site ${n}`))
    const before = await bytesOf(world, did)

    const run = (...args: string[]) =>
      runCommand([...args, '--data', world.dataDir], { ...environment, LOG_LEVEL: 'error' })
    let isOver = false
    const load = [visitUntil(() => isOver, world, did), publishUntil(() => isOver, alice)]
    const first = await run('backup', folder)
    const second = await run('backup', folder)
    isOver = true
    await Promise.all(load)
    expect(first).toMatchObject({
      ...{ code: 0, complaints: '' },
      said: [
        expect.stringMatching(/^backed up 1 account, \d+ sites, a database of .* \(\d+ new\)/),
      ],
    })
    expect(second.code).toBe(0)

    expect(await run('restore', folder)).toMatchObject({
      code: 1,
      complaints: expect.stringContaining('another Sitehost runs on this data folder'),
    })
    await world.restart({}, async () => {
      await rm(world.dataDir, { recursive: true })
      if (databaseUrl !== undefined) await destroy(databaseUrl)
      await world.network.stop()
      const restored = await run('restore', folder)
      expect(restored).toMatchObject({ code: 0, complaints: '' })
      expect(restored.said).toEqual([
        expect.stringMatching(/^restored the backup of \d{4}-/),
        'everybody has to sign in again, and what administrators did since then is undone',
      ])
      await world.restartNetwork()
    })
    expect(await readdir(join(world.dataDir, 'blobs'))).not.toEqual([])
    expect(await bytesOf(world, did)).toEqual(before)
    expect((await alice.fetch('/api/user/status')).status).toBe(401)
    // What was published after the backup comes from the network.
    await eventually(async () => {
      expect(await visit(pageUrl(world.app, did, 'busy'))).toStartWith('busy')
    })
    await rm(dir, { recursive: true })
  }, 300_000)

  if (dialect === 'sqlite') return
  test('a pg_dump that is missing or too old: says what to do', async () => {
    await using own = await make()
    const dir = await folderWithoutTools()
    const environment = { DATABASE_URL: own.options.url ?? '', PATH: dir }
    const command = ['backup', join(dir, 'backup'), '--without-blobs', '--data', join(dir, 'data')]
    const run = () => runCommand(command, environment)
    expect(await run()).toMatchObject({
      code: 1,
      complaints: expect.stringMatching(
        /^sitehost: pg_dump is not on the PATH: install .*-client-/,
      ),
    })
    await writeFile(join(dir, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.1"\n')
    await chmod(join(dir, 'pg_dump'), 0o700)
    expect(await run()).toMatchObject({
      code: 1,
      complaints: expect.stringMatching(/pg_dump is of version 9, the server of version \d+: /),
    })
    await rm(dir, { recursive: true })
  }, 60_000)

  test('a restore without pg_restore changes nothing; one that fails says where the old data is', async () => {
    await using own = await make()
    const { url = '' } = own.options
    await using database = openDatabase({ url })
    await migrate(database)
    const dir = await folderWithoutTools()
    const [folder, data] = [join(dir, 'backup'), join(dir, 'data')]
    await mkdir(data)
    await writeFile(join(data, 'secret-key'), 'x'.repeat(43))
    await backUp({
      ...{ config: { databaseUrl: url, dataDir: data }, folder, version: '1.2.3', keep: 1 },
      ...{ withBlobs: false, prunes: false, signal: new AbortController().signal },
      onProgress: () => undefined,
    })
    const environment = { DATABASE_URL: url, PATH: dir }
    const run = () => runCommand(['restore', folder, '--data', data, '--replace'], environment)

    expect(await run()).toMatchObject({
      code: 1,
      complaints: expect.stringMatching(/^sitehost: pg_restore is not on the PATH: /),
    })
    expect(await readdir(data)).toContain('secret-key')
    expect(await hasTables(url)).toBe(true)

    const failing =
      '#!/bin/sh\n[ "$1" = --version ] && echo 99.1 && exit\necho broken >&2\nexit 1\n'
    await writeFile(join(dir, 'pg_restore'), failing)
    await chmod(join(dir, 'pg_restore'), 0o700)
    expect(await run()).toMatchObject({
      code: 1,
      complaints: expect.stringMatching(
        /pg_restore failed: broken; the data of before the restore is in .*\/before-restore-\S+ and schema before_restore_\d+/,
      ),
    })
    await rm(dir, { recursive: true })
  }, 60_000)
})

/** A folder for the PATH, with only what starts the command. */
async function folderWithoutTools(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-tools-'))
  for (const tool of ['dirname', 'readlink']) {
    await symlink(programPath(tool) ?? '', join(dir, tool))
  }
  return dir
}

const filesOf = (about: string) =>
  pages.map((path) => textFile(path, `${about}: ${path}\n`.repeat(99)))

async function didOf(client: AppClient): Promise<string> {
  const answer = await client.fetch('/api/auth/status')
  return ((await answer.json()) as { did: string }).did
}

/** Every page of every site, by its address. */
async function bytesOf({ app }: World, did: string): Promise<Record<string, string | number>> {
  const found: Record<string, string | number> = {}
  for (let n = 0; n < siteCount; n++) {
    for (const path of pages) {
      const url = pageUrl(app, did, `site-${n}`, `/${path}`)
      found[url.href] = await visit(url)
    }
  }
  return found
}

async function visitUntil(isOver: () => boolean, { app }: World, did: string): Promise<void> {
  for (let n = 0; !isOver(); n = (n + 1) % siteCount) {
    expect(await visit(pageUrl(app, did, `site-${n}`, '/about.html'))).toStartWith(`site ${n}:`)
  }
}

async function publishUntil(isOver: () => boolean, alice: AppClient): Promise<void> {
  for (let n = 0; !isOver(); n++) await alice.publish('busy', filesOf(`busy ${n}`))
}

async function destroy(url: string): Promise<void> {
  await using database = openDatabase({ url })
  await sql`drop schema public cascade`.execute(database.db)
  await sql`create schema public`.execute(database.db)
}
