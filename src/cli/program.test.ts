import { expect, test } from 'bun:test'
import { type CommandActions, createProgram } from './program.ts'

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

test('--help says where the settings are', () => {
  let shown = ''
  program.configureOutput({ writeOut: (text) => (shown += text) }).outputHelp()
  expect(shown).toContain('.env.example')
})
