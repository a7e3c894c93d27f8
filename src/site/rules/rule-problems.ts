import { ruleFileBytesMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { parseHeaderRules } from './header-rules.ts'
import { parseRedirects } from './redirects-file.ts'
import type { RuleProblem } from './rule-lines.ts'

interface RuleTexts {
  /** Of `_redirects` and `_headers`. */
  readonly redirects: string
  readonly headers: string
  readonly settings: SiteSettings | null
}

/** Mistakes in a site's rules, for its owner, each with its file and line. */
export function ruleProblems({ redirects, headers, settings }: RuleTexts): string[] {
  const ofHeaders = parseHeaderRules(headers, settings?.headers ?? [])
  return [
    ...parseRedirects(redirects).problems.map(inFile('_redirects')),
    ...ofHeaders.problems.map(inFile('_headers')),
    ...ofHeaders.settingsProblems.map((problem) => `settings, ${problem}`),
  ]
}

const inFile =
  (name: string) =>
  ({ line, message }: RuleProblem): string =>
    `${name}, line ${line}: ${message}`

export const ruleFileTooLarge = (path: string): string =>
  `${path} is not used: it is larger than ${ruleFileBytesMax} bytes`
