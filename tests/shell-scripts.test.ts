import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { hasPrograms } from './support/require.ts'

const root = join(import.meta.dir, '..')

const hasShellcheck = await hasPrograms('shellcheck', 'shellcheck')

/** What begins with `#!` and the name of a shell. */
async function shellScripts(): Promise<string[]> {
  const patterns = ['.ci/*', 'bin/*', 'deploy/**', 'devnet/*', 'scripts/*']
  const paths = patterns.flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true }),
  ])
  const firstLines = paths.map((path) => Bun.file(join(root, path)).slice(0, 100).text())
  const lines = await Promise.all(firstLines)
  return paths.filter((_, at) => /^#!.*\b(?:ba)?sh\n/.test(lines[at] ?? ''))
}

test.skipIf(!hasShellcheck)('shellcheck has nothing to say of any script', async () => {
  const scripts = await shellScripts()
  expect(scripts).toContain('deploy/ci/deploy.sh')
  expect(scripts).toContain('bin/sitehost')
  const child = Bun.spawn(['shellcheck', ...scripts], { cwd: root, stdout: 'pipe' })
  expect(await new Response(child.stdout).text()).toBe('')
  expect(await child.exited).toBe(0)
})

test.skipIf(!hasShellcheck)('nor of any script of package.json', async () => {
  const { scripts } = await Bun.file(join(root, 'package.json')).json()
  for (const [name, script] of Object.entries<string>(scripts)) {
    const command = ['shellcheck', '--shell=sh', '--external-sources', '-']
    const child = Bun.spawn(command, { cwd: root, stdin: Buffer.from(script), stdout: 'pipe' })
    expect([name, await new Response(child.stdout).text()]).toEqual([name, ''])
  }
})
