import { directoryDepthMax, expandedEntriesMax, partsMax, problemsMax } from './limits.ts'
import { foldersAbove, type SitePath } from './path.ts'

/** Why a manifest cannot hold files at these paths, in sentences that name the path; empty if it can. */
export function treeProblems(paths: Iterable<SitePath>): string[] {
  const files = new Set<string>()
  const directories = new Set<string>()
  const problems: string[] = []
  for (const path of paths) {
    if (files.has(path)) problems.push(`the same path twice: ${path}`)
    files.add(path)
    const folders = foldersAbove(path)
    if (folders.length > directoryDepthMax) {
      problems.push(`more than ${directoryDepthMax} directories deep: ${path}`)
    }
    for (const folder of folders) directories.add(folder)
  }
  const both = [...directories].filter((path) => files.has(path))
  if (files.size + directories.size - both.length > treeEntriesMax) {
    problems.push(`over ${treeEntriesMax} files and directories together`)
  }
  for (const path of both) {
    problems.push(`a file that is also a directory: ${path}`)
  }
  return problems.slice(0, problemsMax)
}

/** Entries that reference parts count towards the limit of the whole site. */
const treeEntriesMax = expandedEntriesMax - partsMax
