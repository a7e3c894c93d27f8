// Calls every command for site owners, or those that are named, in one process: `every-command.test.ts` reads what they print.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { addSiteCommands } from '#cli/site-program.ts'
import { runSiteCommand } from '#main/commands/site-owner.ts'
import { siteCommandsByName } from '#tests/support/processes/site-commands.ts'

const nowhere = 'http://127.0.0.1:1'
Object.assign(process.env, {
  PLC_URL: nowhere,
  HANDLE_RESOLVER_URL: nowhere,
  ALLOW_PRIVATE_HOSTS: '1',
  SITEHOST_URL: nowhere,
  XDG_DATA_HOME: join(tmpdir(), `every-command-${process.pid}`),
})

class Ended extends Error {
  override readonly name = 'Ended'
  readonly code: number

  constructor(code: number) {
    super(`ended with ${code}`)
    this.code = code
  }
}
process.exit = (code) => {
  throw new Ended(Number(code))
}

/** What stands for each argument. */
const samples: Readonly<Record<string, string>> = {
  ...{ address: `${nowhere}/`, domain: 'example.com', 'field=value': 'cleanUrls=true' },
  ...{
    folder: join(import.meta.dir),
    handle: 'nobody.invalid',
    shell: 'bash',
    version: 'previous',
  },
}

async function call(args: readonly string[]): Promise<void> {
  const both = [process.stdout, process.stderr]
  for (const stream of both) stream.write(`<begin ${JSON.stringify(args)}>`)
  const program = new Command('sitehost')
  let code = 0
  addSiteCommands(program, async (command) => {
    code = await runSiteCommand(command, new AbortController().signal)
  })
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof Ended)) throw error
    code = error.code
  }
  for (const stream of both) stream.write(`<end ${code}>\n`)
}

const wanted = process.argv.slice(2)
for (const [name, command] of siteCommandsByName()) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const words = name.split(' ')
  await call([...words, '--help'])
  await call([...words, '--sight'])
  // It would wait for a program.
  if (name === 'mcp') continue
  const given = command.registeredArguments
    .filter((argument) => argument.required || argument.name() === 'handle')
    .map((argument) => samples[argument.name()] ?? 'blog')
  const hasSite = command.options.some(({ long }) => long === '--site')
  await call([...words, ...given, ...(hasSite ? ['--site', 'blog'] : [])])
}
