import { type Command, InvalidArgumentError, Option } from 'commander'

export interface ModerationOptions {
  readonly data?: string
  readonly reason: string
  readonly status?: '451' | '404'
  readonly outcome?: string
  readonly days?: number
  /** Left out: as it is. `default`: as the setting says. */
  readonly sites?: number | 'default'
  readonly bytes?: number | 'default'
  readonly uploads?: number | 'default'
  readonly search?: string
}

/** `site take-down`, … The subject is empty for commands without one. */
export type ModerationAction = (
  command: ModerationCommand,
  subject: string,
  options: ModerationOptions,
) => Promise<void>

type ModerationCommand = (typeof commands)[number]['name']

const site = '<did>/<rkey>'
const account = '<did|handle>'

interface CommandFacts {
  readonly name: string
  readonly subject?: string
  readonly description: string
  /** It changes something, and the audit keeps why. */
  readonly isAction?: true
}

const commands = [
  {
    name: 'site take-down',
    subject: site,
    description: 'take a site offline here; its owner’s repository stays as it is',
    isAction: true,
  },
  { name: 'site bring-back', subject: site, description: 'end that', isAction: true },
  {
    name: 'site retry',
    subject: site,
    description: 'read a site from its owner’s server again, also one that was given up',
    isAction: true,
  },
  {
    name: 'site purge',
    subject: site,
    description: 'remove the stored bytes that only this site names',
    isAction: true,
  },
  {
    name: 'site verify',
    subject: site,
    description: 'read every stored byte of a site, and have damaged ones fetched again',
    isAction: true,
  },
  {
    name: 'account take-down',
    subject: account,
    description: 'take all sites of an account offline here, later ones too',
    isAction: true,
  },
  { name: 'account bring-back', subject: account, description: 'end that', isAction: true },
  {
    name: 'account end-sessions',
    subject: account,
    description: 'sign an account out of all browsers',
    isAction: true,
  },
  {
    name: 'account limits',
    subject: account,
    description: 'set limits of an account in place of those of the settings',
    isAction: true,
  },
  {
    name: 'account show',
    subject: account,
    description: 'show the status, limits and takedowns of an account',
  },
  {
    name: 'account allow',
    subject: account,
    description: 'let an account sign in where not everybody may (SIGN_IN)',
    isAction: true,
  },
  { name: 'account disallow', subject: account, description: 'end that', isAction: true },
  {
    name: 'domain recheck',
    subject: '<host>',
    description: 'look a custom domain up now',
    isAction: true,
  },
  {
    name: 'domain release',
    subject: '<host>',
    description: 'take a subdomain or a custom domain from its account',
    isAction: true,
  },
  {
    name: 'job cancel',
    subject: '<id>',
    description: 'cancel an upload that is not being written yet',
    isAction: true,
  },
  { name: 'report list', description: 'list the open reports of visitors' },
  { name: 'report handle', subject: '<id>', description: 'close a report', isAction: true },
  {
    name: 'invite',
    description: 'print an invitation for one guest (SIGN_IN=invited)',
    isAction: true,
  },
  { name: 'audit', description: 'list what administrators did, newest first' },
] as const satisfies readonly CommandFacts[]

const groups: Readonly<Record<string, string>> = {
  site: 'take a site offline, read it again, check or remove its stored bytes',
  account: 'take an account offline, limit it, let it sign in or sign it out',
  domain: 'check a custom domain, release a name',
  job: 'cancel an upload',
  report: 'visitors’ reports',
}

/** Adds what administrators do, on the database of a service that may be running. */
export function addModerationCommands(
  program: Command,
  action: ModerationAction,
  dataOption: string,
): void {
  const parents = new Map<string, Command>()
  const parentOf = (group: string): Command => {
    const known = parents.get(group)
    if (known !== undefined) return known
    const parent = program.command(group).description(groups[group] ?? '')
    parents.set(group, parent)
    return parent
  }
  for (const facts of commands as readonly (CommandFacts & { name: ModerationCommand })[]) {
    const [group = '', verb] = facts.name.split(' ')
    const command = verb === undefined ? program.command(group) : parentOf(group).command(verb)
    command.description(facts.description).option('--data <folder>', dataOption)
    if (facts.subject !== undefined) command.argument(facts.subject)
    if (facts.isAction) command.requiredOption('--reason <text>', 'why, for the audit')
    for (const option of optionsOf(facts.name)) command.addOption(option)
    command.action((...given) => {
      const [subject, options] = facts.subject === undefined ? ['', given[0]] : given
      return action(facts.name, subject, options)
    })
  }
}

function optionsOf(name: ModerationCommand): Option[] {
  switch (name) {
    case 'site take-down':
    case 'account take-down':
      return [
        new Option('--status <status>', 'what visitors get: 451 names legal reasons')
          .choices(['451', '404'])
          .default('451'),
      ]
    case 'account limits':
      return [limitOf('sites'), limitOf('bytes'), limitOf('uploads', 'uploads a day')]
    case 'report handle':
      return [new Option('--outcome <text>', 'what became of it').makeOptionMandatory()]
    case 'invite':
      return [
        new Option('--days <number>', 'how long it can be used, at most 90')
          .default(7)
          .argParser((text) => numberOf(text, 1, 90)),
      ]
    case 'audit':
      return [new Option('--search <text>', 'in actor, action, subject and reason')]
    default:
      return []
  }
}

const limitOf = (name: string, what = name): Option =>
  new Option(
    `--${name} <number>`,
    `at most this many ${what}; default: as the settings say`,
  ).argParser((text) => (text === 'default' ? text : numberOf(text, 0, Number.MAX_SAFE_INTEGER)))

function numberOf(text: string, min: number, max: number): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new InvalidArgumentError(`a whole number from ${min} to ${max}`)
}
