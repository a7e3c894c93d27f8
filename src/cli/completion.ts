import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** A script by which a shell completes commands and their options; files otherwise. */
export function completionOf(program: Command, shell: Shell): string {
  const words = program.commands.map((command) => ({
    names: [command.name(), ...command.aliases()],
    description: command.description(),
    options: optionsOf(command),
  }))
  if (shell === 'fish') return fish(words)
  const script = bash(words)
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${script}` : script
}

interface Words {
  readonly names: readonly string[]
  readonly description: string
  readonly options: readonly { readonly long: string; readonly description: string }[]
}

/** Those of its subcommands, too. */
function optionsOf(command: Command): Words['options'] {
  const all = [command, ...command.commands].flatMap(({ options }) => options)
  const named = all.flatMap(({ description, long }) => (long ? [{ long, description }] : []))
  return [...new Map(named.map((option) => [option.long, option])).values()]
}

function bash(words: readonly Words[]): string {
  const options = ({ options }: Words) => options.map(({ long }) => long).join(' ')
  return [
    '_sitehost() {',
    `  local word=\${COMP_WORDS[COMP_CWORD]} options=--help`,
    '  if [ "$COMP_CWORD" = 1 ]; then',
    `    COMPREPLY=($(compgen -W "${words.flatMap(({ names }) => names).join(' ')}" -- "$word"))`,
    '    return',
    '  fi',
    `  case \${COMP_WORDS[1]} in`,
    ...words.map((each) => `    ${each.names.join(' | ')}) options="${options(each)} --help" ;;`),
    '  esac',
    '  case $word in',
    '    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;',
    '    *) COMPREPLY=($(compgen -f -- "$word")) ;;',
    '  esac',
    '}',
    'complete -o filenames -F _sitehost sitehost',
  ].join('\n')
}

function fish(words: readonly Words[]): string {
  return words
    .flatMap(({ description, names, options }) => [
      ...names.map(
        (name) =>
          `complete -c sitehost -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ),
      ...options.map(
        (option) =>
          `complete -c sitehost -n '__fish_seen_subcommand_from ${names.join(' ')}' -l ${option.long.slice(2)} -d ${quoted(option.description)}`,
      ),
    ])
    .join('\n')
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
