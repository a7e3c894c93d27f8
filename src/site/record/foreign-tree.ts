import { safeParse } from '@atcute/lexicons/validations'
import { PlaceSitehostFs } from '#lexicons/index.ts'
import type { Directory, Entry } from './nodes.ts'
import type { PlainDirectory } from './read-tree.ts'

type ForeignTree =
  | { readonly ok: true; readonly root: Directory }
  | { readonly ok: false; readonly problem: string }

/**
 * Checks the nodes of a tree of another network as our lexicon does those of ours. Directories may have more entries:
 * some of its writers have put 600 into one. With `mergesParts`, every part that the tree names is merged, whatever its
 * node says. Iterative, for any depth. Never throws.
 */
export function fitForeignTree(
  plain: PlainDirectory,
  { mergesParts = false }: { readonly mergesParts?: boolean } = {},
): ForeignTree {
  const root: OpenDirectory = { ...plain, entries: [] }
  const waiting = [{ plain, into: root }]
  // the list grows while it is walked
  for (const { plain, into } of waiting) {
    for (const { name, node } of plain.entries) {
      if (isDirectory(node)) {
        const directory: OpenDirectory = { ...node, entries: [] }
        into.entries.push({ name, node: directory })
        waiting.push({ plain: node, into: directory })
        continue
      }
      const parsed = safeParse(PlaceSitehostFs.entrySchema, { name, node })
      if (!parsed.ok) return { ok: false, problem: parsed.message }
      // the lexicon's type also allows legacy blobs, which readTree has rejected
      const entry = parsed.value as Entry
      const isMerged = mergesParts && entry.node.type === 'subfs'
      into.entries.push(isMerged ? { name, node: { ...entry.node, flat: true } } : entry)
    }
  }
  return { ok: true, root }
}

interface OpenDirectory extends Directory {
  readonly entries: Entry[]
}

const isDirectory = (node: unknown): node is PlainDirectory =>
  (node as PlainDirectory).type === 'directory'
