import { type Command, Help, type HelpConfiguration } from 'commander'
import { wrapped } from './wrapped.ts'

/** Descriptions in less than this are below what they describe. */
const besideCharsMin = 40

/**
 * Lists of commands without `[options]`, which all have, and without `help`, which `--help` is: both take the room of what a
 * command does.
 */
export const shortHelp: HelpConfiguration = {
  subcommandTerm: (command) => {
    const given = command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`
      return argument.required ? `<${name}>` : `[${name}]`
    })
    return [[command.name(), ...command.aliases()].join('|'), ...given].join(' ')
  },
  visibleCommands(command: Command) {
    const all = Help.prototype.visibleCommands.call(this, command)
    return all.filter((each) => command.commands.includes(each))
  },
  formatItem(term, termWidth, description, helper) {
    const width = helper.helpWidth ?? 80
    if (width - termWidth - 4 >= besideCharsMin || description === '')
      return Help.prototype.formatItem.call(this, term, termWidth, description, helper)
    const lines = wrapped(description, width - 6).split('\n')
    return [`  ${term}`, ...lines.map((line) => `      ${line}`)].join('\n')
  },
}
