import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** A script by which a shell completes commands and their options; files otherwise. */
export function completionOf(program: Command, shell: Shell): string {
  const words = program.commands.map((command) => ({
    names: [command.name(), ...command.aliases()],
    description: command.description(),
    seconds: secondsOf(command),
    options: optionsOf(command),
  }))
  if (shell === 'fish') return fish(words)
  const script = bash(words)
  return shell === 'zsh' ? `${zshStart}\n${script}` : script
}

/** A new `.zshrc` has no completion yet. `-i`: folders that others may write to are left out, and nothing is asked. */
const zshStart = `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit -i }
autoload -U +X bashcompinit && bashcompinit`

interface Words {
  readonly names: readonly string[]
  readonly description: string
  /** What may follow it: its subcommands, or the choices of its argument. */
  readonly seconds: readonly Second[]
  readonly options: readonly { readonly long: string; readonly description: string }[]
}

interface Second {
  readonly name: string
  readonly description: string
}

const secondsOf = ({ commands, registeredArguments: [first] }: Command): Second[] => [
  ...commands.map((each) => ({ name: each.name(), description: each.description() })),
  ...(first?.argChoices ?? []).map((name) => ({ name, description: first?.description ?? '' })),
]

/** Those of its subcommands, too. */
function optionsOf(command: Command): Words['options'] {
  const all = [command, ...command.commands].flatMap(({ options }) => options)
  const named = all.flatMap(({ description, long }) => (long ? [{ long, description }] : []))
  return [...new Map(named.map((option) => [option.long, option])).values()]
}

function bash(words: readonly Words[]): string {
  const options = ({ options }: Words) => options.map(({ long }) => long).join(' ')
  const seconds = ({ seconds }: Words) => seconds.map(({ name }) => name).join(' ')
  return [
    '_sitehost() {',
    `  local word=\${COMP_WORDS[COMP_CWORD]} options=--help seconds= name`,
    '  if [ "$COMP_CWORD" = 1 ]; then',
    `    COMPREPLY=($(compgen -W "${words.flatMap(({ names }) => names).join(' ')}" -- "$word"))`,
    '    return',
    '  fi',
    `  case \${COMP_WORDS[1]} in`,
    ...words.map(
      (each) =>
        `    ${each.names.join(' | ')}) options="${options(each)} --help" seconds="${seconds(each)}" ;;`,
    ),
    '  esac',
    '  case $word in',
    '    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;',
    '    *)',
    '      if [ "$COMP_CWORD" = 2 ] && [ -n "$seconds" ]; then',
    '        COMPREPLY=($(compgen -W "$seconds" -- "$word"))',
    '      else',
    // macOS has bash 3.2, without `mapfile`.
    '        COMPREPLY=()',
    '        while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$word")',
    '      fi',
    '      ;;',
    '  esac',
    '}',
    'complete -o filenames -F _sitehost sitehost',
  ].join('\n')
}

function fish(words: readonly Words[]): string {
  return words
    .flatMap(({ description, names, options, seconds }) => [
      ...names.map(
        (name) =>
          `complete -c sitehost -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ),
      ...seconds.map(
        ({ description: text, name }) =>
          `complete -c sitehost -f -n '${after(names)}; and not __fish_seen_subcommand_from ${seconds.map((each) => each.name).join(' ')}' -a ${name} -d ${quoted(text)}`,
      ),
      ...options.map(
        (option) =>
          `complete -c sitehost -n '${after(names)}' -l ${option.long.slice(2)} -d ${quoted(option.description)}`,
      ),
    ])
    .join('\n')
}

const after = (names: readonly string[]): string => `__fish_seen_subcommand_from ${names.join(' ')}`

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
