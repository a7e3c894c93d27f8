import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { freePort } from '#main/process/free-port.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { onEachOwnStore } from '#tests/support/database/databases.ts'
import { checkDatabase } from './check-database.ts'

onEachOwnStore('main/doctor/check-database', (make, dialect) => {
  test('database: behind, up to date, ahead', async () => {
    await using own = await make()
    const { url, file = '' } = own.options
    const check = () => checkDatabase({ url, file })
    await using database = openDatabase(own.options)
    await sql`select 1`.execute(database.db)
    expect(await check()).toMatchObject({
      level: 'warning',
      seen: expect.stringMatching(/\d+ migrations behind/),
    })
    await migrate(database)
    const name = dialect === 'sqlite' ? 'SQLite 3.' : 'PostgreSQL '
    expect(await check()).toMatchObject({
      level: 'ok',
      seen: expect.stringMatching(new RegExp(`^${name}.*, writable, up to date$`)),
    })
    await sql`insert into kysely_migration values ('9999-later', '')`.execute(database.db)
    expect(await check()).toMatchObject({
      level: 'problem',
      seen: expect.stringMatching(/newer Sitehost/),
    })
  })

  test('database: only for reading', async () => {
    if (dialect === 'sqlite') return
    await using own = await make()
    const url = new URL(own.options.url ?? '')
    url.searchParams.set('options', '-c default_transaction_read_only=on')
    expect(await checkDatabase({ url: url.href, file: '' })).toMatchObject({
      level: 'problem',
      seen: expect.stringContaining('may only be read'),
    })
  })

  test('database: none yet, one that is none, a server that is not there', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'doctor-'))
    const file = join(dir, 'sitehost.db')
    expect(await checkDatabase({ url: undefined, file })).toMatchObject({ level: 'ok' })
    await writeFile(file, 'no database'.repeat(100))
    expect(await checkDatabase({ url: undefined, file })).toMatchObject({ level: 'problem' })
    const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`
    expect(await checkDatabase({ url, file })).toMatchObject({ level: 'problem' })
    await rm(dir, { recursive: true })
  })
})
