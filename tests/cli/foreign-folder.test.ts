import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('deploy takes no settings of Bun from the folder that it runs in', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'foreign-folder-'))
  await writeFile(join(cwd, '.env'), 'PLC_URL=not-a-url\n')
  await writeFile(join(cwd, 'bunfig.toml'), 'preload = ["./run.ts"]\n')
  await writeFile(join(cwd, 'run.ts'), 'console.log("preloaded")\n')
  const child = Bun.spawn([join(import.meta.dir, '../../bin/sitehost'), 'deploy', 'missing'], {
    cwd,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  await child.exited
  await rm(cwd, { recursive: true })
  expect(out).toBe('')
  expect(err).toStartWith('There is no folder missing')
})
