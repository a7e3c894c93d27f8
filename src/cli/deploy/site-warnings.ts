import { contentOf } from '#cli/folder/folder-content.ts'
import { startPageWarning } from '#cli/folder/start-page-warning.ts'
import { startOf } from '#publish/upload/start-of.ts'
import { ruleFileBytesMax } from '#site/limits.ts'
import { foreignFileProblems } from '#site/rules/foreign-files.ts'
import { ruleFileTooLarge, ruleProblems } from '#site/rules/rule-problems.ts'
import type { LocalSite } from './local-site.ts'

/** What visitors of the published folder would miss, for its owner. Throws UnreadableFileError. */
export async function siteWarnings({
  files,
  settings,
}: Pick<LocalSite, 'files' | 'settings'>): Promise<string[]> {
  const warnings: string[] = []
  const textOf = async (path: string): Promise<string> => {
    const file = files.find((each) => each.path === path)
    if (file === undefined) return ''
    if (file.bytes <= ruleFileBytesMax) return await startOf(contentOf(file), ruleFileBytesMax)
    warnings.push(ruleFileTooLarge(path))
    return ''
  }
  const redirects = await textOf('_redirects')
  const headers = await textOf('_headers')
  warnings.push(...ruleProblems({ redirects, headers, settings }))
  warnings.push(...foreignFileProblems(files.map(({ path }) => path)))
  const startPage = startPageWarning(files, settings)
  return startPage === null ? warnings : [...warnings, startPage]
}
