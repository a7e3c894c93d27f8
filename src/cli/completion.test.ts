import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { hasPrograms } from '#tests/support/require.ts'
import { completionOf } from './completion.ts'
import { addSiteCommands } from './site-program.ts'

const program = new Command('sitehost')
addSiteCommands(program, async () => {})

/** What bash offers after these words. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${completionOf(program, 'bash')}
COMP_WORDS=(sitehost ${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length}
_sitehost; printf '%s\\n' "\${COMPREPLY[@]}"`
  return (await Bun.$`bash -c ${script}`.text()).trim().split('\n')
}

test('bash completes commands, and the options of each', async () => {
  expect(await offered('ver')).toEqual(['versions', 'verify'])
  expect(await offered('deploy', '--allow-')).toEqual(['--allow-home', '--allow-credentials'])
  expect(await offered('settings', 'get', '--si')).toEqual(['--site'])
})

test('bash completes what follows a command, and files elsewhere', async () => {
  expect(await offered('settings', '')).toEqual(['get', 'set', 'edit'])
  expect(await offered('completion', 'z')).toEqual(['zsh'])
  expect(await offered('settings', '--')).toContain('--site')
  expect(await offered('deploy', `${import.meta.dir}/completion.te`)).toEqual([
    `${import.meta.dir}/completion.test.ts`,
  ])
})

test('bash completes names with spaces and brackets as one', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-completion-'))
  const names = ['my site [1]', 'my site 1', 'my sité & 100%']
  for (const name of names) await Bun.write(join(dir, name), '')
  const paths = await offered('deploy', join(dir, 'my s'))
  expect(paths.sort()).toEqual(names.map((name) => join(dir, name)).sort())
  expect(await offered('deploy', join(dir, 'none'))).toEqual([''])
  await rm(dir, { recursive: true })
})

const hasZsh = await hasPrograms('completion in zsh', 'zsh')

test.skipIf(!hasZsh)('zsh takes it, also where nothing has turned completion on', async () => {
  const script = `${completionOf(program, 'zsh')}\nprint -r -- $_comps[sitehost]`
  const child = Bun.spawn(['zsh', '-f', '-c', script], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
    ...({ stdout: 'pipe', stderr: 'pipe' } as const),
  })
  const [out, error] = [new Response(child.stdout).text(), new Response(child.stderr).text()]
  expect([await out, await error]).toEqual(['_bash_complete -o filenames -F _sitehost\n', ''])
})

test('zsh takes the same script, and fish has a line for each', () => {
  expect(completionOf(program, 'zsh')).toContain(completionOf(program, 'bash'))
  expect(completionOf(program, 'fish')).toContain(
    "complete -c sitehost -n '__fish_seen_subcommand_from pull' -l at -d",
  )
  expect(completionOf(program, 'fish')).toContain(
    "and not __fish_seen_subcommand_from get set edit' -a get -d 'print them as JSON'",
  )
})
