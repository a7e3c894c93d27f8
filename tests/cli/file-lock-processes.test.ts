import { expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const lockModule = join(import.meta.dir, '../../src/cli/account/file-lock.ts')

/** Each process takes the lock again and again; alone with it, it adds one. Every other one is killed while it has it. */
const program = `
  import { readFile, rm, writeFile } from 'node:fs/promises'
  import { withFileLock } from ${JSON.stringify(lockModule)}
  const [file, times, isKilled] = process.argv.slice(1)
  for (let n = 0; n < Number(times); n++) {
    await withFileLock(file, async () => {
      await writeFile(file + '.inside', '', { flag: 'wx' })
      await writeFile(file, String(Number(await readFile(file, 'utf8')) + 1))
      await rm(file + '.inside')
      if (isKilled === 'killed' && n === Number(times) - 1) process.kill(process.pid, 'SIGKILL')
    })
  }
`

test('of many processes, some of which are killed with the lock, one at a time has it', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-lock-'))
  const file = join(dir, 'count')
  await writeFile(file, '0')
  const [processes, times] = [8, 6]
  const ends = Array.from({ length: processes }, async (_, at) => {
    const end = at % 2 === 0 ? 'killed' : 'lives'
    const child = Bun.spawn([process.execPath, '-e', program, file, String(times), end], {
      stderr: 'pipe',
    })
    const complaints = await new Response(child.stderr).text()
    return [end, (await child.exited) === 0 ? 'lives' : child.signalCode, complaints]
  })
  for (const end of await Promise.all(ends)) {
    expect(end).toEqual([end[0] ?? '', end[0] === 'lives' ? 'lives' : 'SIGKILL', ''])
  }
  expect(await readFile(file, 'utf8')).toBe(String(processes * times))
  await rm(dir, { recursive: true })
})
