import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { onEachDatabase } from '#tests/support/database/databases.ts'
import { eventually } from '#tests/support/eventually.ts'

// Real processes, of which one is suspended for longer than its lease: it may be in the middle of a transaction.

await onEachDatabase('a duty of two processes', (make, dialect) => {
  if (dialect === 'sqlite') return
  test('one that was suspended past its lease, and continues, writes nothing any more', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    await migrate(database)
    const start = () => startDuty(own.options.url ?? '')
    await using first = start()
    const has = async (process: { readonly pid: number }) =>
      expect((await newest(database.db)).pid).toBe(process.pid)
    await eventually(() => has(first))
    await using second = start()
    const suspensions = [
      [first, second],
      [second, first],
      [first, second],
      [second, first],
    ] as const
    for (const [suspended, other] of suspensions) {
      await eventually(() => has(suspended))
      suspended.kill('SIGSTOP')
      await eventually(() => has(other))
      suspended.kill('SIGCONT')
    }
    // Whoever was suspended last has continued by then.
    first.kill('SIGKILL')
    await eventually(() => has(second))
    const epochs = (await rowsOf(database.db)).map(({ epoch }) => epoch)
    expect(epochs).toEqual(epochs.toSorted((a, b) => a - b))
    expect(new Set(epochs).size).toBeGreaterThanOrEqual(5)
  }, 120_000)
})

function startDuty(url: string) {
  const script = join(import.meta.dir, '../support/processes/duty-process.ts')
  const child = Bun.spawn({
    cmd: [process.execPath, script, url],
    stdout: 'inherit',
    stderr: 'inherit',
  })
  return {
    pid: child.pid,
    kill: (signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL') => child.kill(signal),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

interface Written {
  readonly pid: number
  readonly epoch: number
}

/** In the order of their commits, as far as the epochs differ: nobody commits while another holds the lock. */
async function rowsOf(db: Db): Promise<Written[]> {
  const rows = await db
    .selectFrom('firehoseCursors')
    .select('source')
    .orderBy('updatedAt')
    .execute()
  return rows.map(({ source }) => {
    const [pid, epoch] = source.split(' ').map(Number)
    return { pid: pid ?? 0, epoch: epoch ?? 0 }
  })
}

async function newest(db: Db): Promise<Written> {
  const row = (await rowsOf(db)).at(-1)
  if (row === undefined) throw new Error('nothing was written')
  return row
}
