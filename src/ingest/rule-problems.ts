import { parseHeaderRules } from '#site/rules/header-rules.ts'
import { parseRedirects } from '#site/rules/redirects.ts'
import type { RuleProblem } from '#site/rules/rule-lines.ts'
import type { Snapshot } from '#site/visit/snapshot.ts'

/** What is wrong with the rules of a site, for its owner to see: each names its file and line. */
export function ruleProblems({
  redirects,
  headers,
  settings,
}: Pick<Snapshot, 'redirects' | 'headers' | 'settings'>): string[] {
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
