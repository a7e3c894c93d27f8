/** What one check found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly about: string
  /** `problem`: the service cannot work as it is set up. */
  readonly level: 'ok' | 'warning' | 'problem'
  /** What was seen. */
  readonly seen: string
  /** What to do; null: nothing. */
  readonly advice: string | null
}

export const ok = (about: string, seen: string): Finding => ({
  ...{ about, level: 'ok', seen, advice: null },
})

export const warning = (about: string, seen: string, advice: string): Finding => ({
  ...{ about, level: 'warning', seen, advice },
})

export const problem = (about: string, seen: string, advice: string): Finding => ({
  ...{ about, level: 'problem', seen, advice },
})

/** As a person reads them: what to do is below what was seen. */
export const findingLines = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ about, advice, level, seen }) => [
    `${level.padEnd(7)}  ${about.padEnd(13)}  ${seen}`,
    ...(advice === null ? [] : [`${' '.repeat(24)}→ ${advice}`]),
  ])
