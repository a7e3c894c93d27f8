import type { ChosenFile } from '#cli/folder/folder-choice.ts'
import { contentOf } from '#cli/folder/folder-content.ts'
import { startOf } from '#publish/upload/start-of.ts'
import { ruleFileBytesMax } from '#site/limits.ts'
import { foreignFileProblems } from '#site/rules/foreign-files.ts'
import { ruleFileTooLarge, ruleProblems } from '#site/rules/rule-problems.ts'
import { startPageOf } from '#site/upload/start-page.ts'
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

function startPageWarning(
  files: readonly ChosenFile[],
  settings: LocalSite['settings'],
): string | null {
  const found = startPageOf(files, settings)
  // Settings that the site has already may name another start page.
  const unless = settings === null ? ' unless the site’s settings name another start page' : ''
  const missing = `so its address shows “page not found”${unless}.`
  switch (found.kind) {
    case 'index':
      return null
    case 'folder':
      return `There is no index.html at the top, but one in ${found.folder}: perhaps that is the folder to deploy. The top has none, ${missing}`
    case 'page':
      return `There is no index.html, but ${found.page}: call that index.html. There is none now, ${missing}`
    case 'none':
      return `There is no index.html, ${missing}`
  }
}
