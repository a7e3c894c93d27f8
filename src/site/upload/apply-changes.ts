import { problemsMax, siteFilesMax } from '#site/limits.ts'
import { foldersAbove, quote, type SitePath, sitePathOf } from '#site/path.ts'
import { treeProblems } from '#site/tree-problems.ts'

/** What a deploy changes in the tree of its base, apart from the files that it sets. */
export interface TreeChanges {
  /** Files and folders, which must be there. */
  readonly remove: readonly SitePath[]
  /** This folder becomes exactly the deploy's files, whose paths are relative to it. */
  readonly into: SitePath | null
}

export type ChangedTree<Node> =
  | { readonly ok: true; readonly files: Map<SitePath, Node> }
  /** Sentences for the sender. */
  | { readonly ok: false; readonly problems: readonly string[] }

/** The files of `base` with these changes, at most `filesMax`. Files are set after others are removed. */
export function applyChanges<Node>(
  base: ReadonlyMap<SitePath, Node>,
  files: ReadonlyMap<SitePath, Node>,
  { remove, into }: TreeChanges,
  filesMax = siteFilesMax,
): ChangedTree<Node> {
  if (into !== null && remove.length > 0) return refuse('Send either "into" or "remove".')
  if (into !== null && base.has(into)) return refuse(`into: ${quote(into)} is a file.`)
  const removed = new Set<string>(into === null ? remove : [into])
  const found = new Set<string>()
  const changed = new Map<SitePath, Node>()
  for (const [path, node] of base) {
    const matching = [...foldersAbove(path), path].filter((at) => removed.has(at))
    for (const at of matching) found.add(at)
    if (matching.length === 0) changed.set(path, node)
  }
  const problems: string[] = []
  for (const path of remove) {
    if (files.has(path)) problems.push(`remove: ${quote(path)} is among the files, too.`)
    else if (!found.has(path)) problems.push(`remove: there is no ${quote(path)}.`)
  }
  for (const [path, node] of files) {
    const place = into === null ? path : sitePathOf(`${into}/${path}`)
    if (place === null)
      problems.push(`The path of ${quote(path)} is too long in ${quote(into ?? '')}.`)
    else changed.set(place, node)
  }
  if (changed.size > filesMax) {
    problems.push(
      `A site can have at most ${filesMax.toLocaleString('en')} files; this one would have more.`,
    )
  }
  for (const problem of treeProblems(changed.keys())) {
    problems.push(`This cannot be a site: ${problem}.`)
  }
  return problems.length === 0 ? { ok: true, files: changed } : refuse(...problems)
}

const refuse = (...problems: string[]): { ok: false; problems: readonly string[] } => ({
  ok: false,
  problems: problems.slice(0, problemsMax),
})
