import { expect, test } from 'bun:test'
import { Command } from 'commander'
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

test('zsh takes the same script, and fish has a line for each', () => {
  expect(completionOf(program, 'zsh')).toContain(completionOf(program, 'bash'))
  expect(completionOf(program, 'fish')).toContain(
    "complete -c sitehost -n '__fish_seen_subcommand_from pull' -l at -d",
  )
  expect(completionOf(program, 'fish')).toContain(
    "and not __fish_seen_subcommand_from get set edit' -a get -d 'print them as JSON'",
  )
})
