import { expect, test } from 'bun:test'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'

test('a database that can only be read is none to start with', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-stores-'))
  try {
    const file = join(dir, 'sitehost.db')
    {
      await using database = openDatabase({ file })
      await migrate(database)
    }
    await chmod(file, 0o444)
    await chmod(dir, 0o777)
    expect(await openInChild(dir)).toBe(`EACCES ${file}`)
  } finally {
    await rm(dir, { recursive: true })
  }
})

/** What `openStores` fails with for somebody who is not root. */
async function openInChild(dataDir: string): Promise<string> {
  const script = `
    import { openStores } from ${JSON.stringify(`${import.meta.dir}/stores.ts`)}
    if (process.getuid() === 0) process.setuid(65_534)
    await using opened = new AsyncDisposableStack()
    const config = { databaseUrl: undefined, dataDir: ${JSON.stringify(dataDir)} }
    await openStores({ config }, opened).then(
      () => console.log('opened'),
      ({ code, path }) => console.log(code, path),
    )
  `
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: import.meta.dir })
  return (await new Response(child.stdout).text()).trim()
}
