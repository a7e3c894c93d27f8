import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Command } from 'commander'
import { type CommandActions, createProgram } from './program.ts'
import { addSiteCommands } from './site-program.ts'

const root = join(import.meta.dir, '../..')

const program = createProgram({} as CommandActions, '1', {
  port: '3456',
  baseDomain: 'sites.test',
  data: 'the-data',
  demoData: 'demo-data',
  devData: 'dev-data',
})

const helpOf = (name: string): string => {
  const command = program.commands.find((each) => each.name() === name)
  // Lines are broken at the width of the terminal.
  return (command?.helpInformation() ?? '').replace(/\s+/g, ' ')
}

test.each([
  ['serve', ['PORT, else 3456', 'DATA_DIR, else the-data', 'BASE_DOMAIN, else sites.test']],
  ['dev', ['PORT, else 3456', '(else dev-data)']],
  ['demo', ['PORT, else 3456', '(else demo-data)']],
  ['backfill', ['DATA_DIR, else the-data']],
  ['repair', ['DATA_DIR, else the-data']],
  ['keys', ['DATA_DIR, else the-data', 'default: "list"']],
  ['preview', ['default: "8080"']],
])('%s --help shows what counts without an option', (name, texts) => {
  for (const text of texts) expect(helpOf(name)).toContain(text)
})

test('--help has the author’s commands apart from the operator’s', () => {
  const help = program.helpInformation()
  const [, authors = '', operators = ''] = help.split(/Your sites:|Running the service:/)
  expect(authors).toContain('preview')
  for (const name of ['serve', 'repair', 'site', 'account', 'audit']) {
    expect(operators).toMatch(new RegExp(`^  ${name} `, 'm'))
  }
})

test('lists of commands leave room for what each does', () => {
  const help = program.helpInformation()
  expect(help).toMatch(/^ {2}deploy \[folder\] +publish a folder/m)
  expect(help).toMatch(/^ {2}settings +show/m)
  expect(help).not.toContain('help [command]')
  expect(helpOf('settings')).toContain('set <field=value...> set some of them')
  const narrow = new Command('sitehost').configureOutput({ getOutHelpWidth: () => 40 })
  addSiteCommands(narrow, async () => {})
  const lines = narrow.helpInformation().split('\n')
  expect(lines).toContain('  deploy [folder]')
  expect(lines.filter((line) => line.length > 40)).toEqual([])
})

test('--help says where the settings are', () => {
  let shown = ''
  program.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp()
  expect(shown).toContain('.env.example')
})

describe('each command for site owners', () => {
  const sites = new Command('sitehost')
  addSiteCommands(sites, async () => {})
  const rows = sites.commands.flatMap((command) => [
    [command.name(), command] as const,
    ...command.commands.map((each) => [`${command.name()} ${each.name()}`, each] as const),
  ])

  test.each(rows)(
    '%s has an example, a section in the documents, and --json if it has a result',
    async (name, command) => {
      let help = ''
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
      expect(help).toMatch(new RegExp(`Examples?:\\n {2}sitehost ${name}`))
      const text = await Bun.file(join(root, 'docs/command-line.md')).text()
      expect(text).toMatch(new RegExp(`^    sitehost ${name}\\b`, 'm'))
      if (name === 'completion' || name === 'mcp' || command.commands.length > 0) return
      expect(command.options.map(({ long }) => long)).toContain('--json')
    },
  )

  test('obeys no file of the folder that bin/sitehost runs in', async () => {
    const script = await Bun.file(join(root, 'bin/sitehost')).text()
    const [, names = ''] = script.match(/^ {2}(completion .*)\)$/m) ?? []
    expect(names.split(' | ').sort()).toEqual(sites.commands.map((each) => each.name()).sort())
  })
})
