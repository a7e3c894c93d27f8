import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '../..')

/** What Biome says of these files (path → text) with the repository's configuration, one line for each finding. `only`: one rule. */
export async function biomeLint(files: Record<string, string>, only?: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-lint-'))
  await cp(join(root, 'biome.json'), join(dir, 'biome.json'))
  await cp(join(root, 'scripts'), join(dir, 'scripts'), { recursive: true })
  for (const [path, text] of Object.entries(files)) await Bun.write(join(dir, path), text)
  const options = ['--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github']
  const child = Bun.spawn({
    cmd: [
      join(root, 'node_modules/.bin/biome'),
      'lint',
      ...options,
      ...(only ? [`--only=${only}`] : []),
    ],
    cwd: dir,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = await new Response(child.stdout).text()
  await rm(dir, { recursive: true })
  return output
}
