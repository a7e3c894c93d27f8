import { expect, test } from 'bun:test'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')

test('as bin/sitehost starts it, Bun sends a request beside all that slow servers may take up', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'requests-'))
  try {
    await mkdir(join(dir, 'src/main'), { recursive: true })
    await cp(join(root, 'bin'), join(dir, 'bin'), { recursive: true })
    await symlink(
      join(root, 'tests/support/visitors/many-requests.ts'),
      join(dir, 'src/main/main.ts'),
    )
    await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
    const child = Bun.spawn([join(dir, 'bin/sitehost')], { stdout: 'pipe', stderr: 'inherit' })
    expect(await new Response(child.stdout).text()).toBe('quick 0\n')
    expect(await child.exited).toBe(0)
  } finally {
    await rm(dir, { recursive: true })
  }
}, 120_000)
