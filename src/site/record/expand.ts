import {
  directoryDepthMax,
  expandedEntriesMax,
  partDepthMax,
  partsMax,
  problemsMax,
} from '#site/limits.ts'
import { type Namespace, ownNamespace } from '#site/namespace.ts'
import { isEntryName, quote, type SitePath, sitePathOf } from '#site/path.ts'
import type { Did } from '#site/site-address.ts'
import type { Directory, FileNode, SubfsNode } from './manifest.ts'
import { type PartUri, partKeyOf, partUri } from './part.ts'

export type ExpandResult =
  | { readonly ok: true; readonly files: Map<SitePath, FileNode> }
  /** These parts must be read first. */
  | { readonly ok: false; readonly missing: readonly PartUri[]; readonly problems: readonly [] }
  | { readonly ok: false; readonly missing: readonly []; readonly problems: readonly string[] }

/**
 * The files of a tree by path, those of its parts included: a flat part is merged into the directory that
 * references it, a mounted one goes below its entry's name. Parts must be the owner's; they may be referenced
 * twice and nest, but not contain themselves. Iterative, for any depth. Never throws.
 */
export function expandTree(
  root: Directory,
  owner: Did,
  parts: ReadonlyMap<PartUri, Directory> = new Map(),
  namespace: Namespace = ownNamespace,
): ExpandResult {
  const expansion = new Expansion(owner, parts, namespace)
  expansion.walk(root)
  return expansion.result()
}

/** Without those of parts that it names. */
export function entriesIn(root: Directory): number {
  const waiting = [root]
  let entries = 0
  // The list grows during the loop.
  for (const directory of waiting) {
    entries += directory.entries.length
    for (const { node } of directory.entries) if (node.type === 'directory') waiting.push(node)
  }
  return entries
}

interface Waiting {
  readonly path: string
  readonly directory: Directory
  /** The parts around this directory, outermost first. */
  readonly inside: readonly PartUri[]
}

class Expansion {
  readonly #owner: Did
  readonly #parts: ReadonlyMap<PartUri, Directory>
  readonly #namespace: Namespace
  readonly #files = new Map<SitePath, FileNode>()
  readonly #directories = new Set<string>()
  readonly #named = new Set<PartUri>()
  readonly #missing = new Set<PartUri>()
  readonly #problems: string[] = []
  readonly #waiting: Waiting[] = []
  #entries = 0

  constructor(owner: Did, parts: ReadonlyMap<PartUri, Directory>, namespace: Namespace) {
    this.#owner = owner
    this.#parts = parts
    this.#namespace = namespace
  }

  walk(root: Directory): void {
    this.#waiting.push({ path: '', directory: root, inside: [] })
    // the list grows while it is walked
    for (const waiting of this.#waiting) {
      this.#entries += waiting.directory.entries.length
      if (this.#entries > expandedEntriesMax) {
        this.#report(`the site has over ${expandedEntriesMax} entries`)
      }
      if (this.#problems.length > 0) return
      this.#walkDirectory(waiting)
    }
  }

  result(): ExpandResult {
    for (const path of this.#files.keys()) {
      if (this.#directories.has(path)) this.#report(`${quote(path)} is a file and a directory`)
    }
    if (this.#problems.length > 0) return { ok: false, missing: [], problems: this.#problems }
    if (this.#missing.size > 0) return { ok: false, missing: [...this.#missing], problems: [] }
    return { ok: true, files: this.#files }
  }

  #walkDirectory({ path, directory, inside }: Waiting): void {
    for (const { name, node } of directory.entries) {
      const at = path === '' ? name : `${path}/${name}`
      // The parent path is already valid; checking it again would cost as much as it has files.
      if (!isEntryName(name)) {
        this.#report(`${quote(at)} is not a path`)
        continue
      }
      switch (node.type) {
        case 'file':
          this.#addFile(at, node)
          break
        case 'directory':
          this.#enter({ path: at, directory: node, inside })
          break
        case 'subfs':
          this.#enterPart(node.flat ? path : at, node, inside)
          break
      }
    }
  }

  #addFile(at: string, node: FileNode): void {
    const path = sitePathOf(at)
    if (path === null) this.#report(`${quote(at)} is not a path`)
    else if (this.#files.has(path)) this.#report(`${quote(at)} is there twice`)
    else this.#files.set(path, node)
  }

  #enter(waiting: Waiting): void {
    const { path } = waiting
    if (path.split('/').length > directoryDepthMax) {
      this.#report(`${quote(path)} is more than ${directoryDepthMax} directories deep`)
      return
    }
    if (path !== '') this.#directories.add(path)
    this.#waiting.push(waiting)
  }

  #enterPart(path: string, { subject }: SubfsNode, inside: readonly PartUri[]): void {
    const key = partKeyOf(subject, this.#owner, this.#namespace)
    if (key === null) {
      this.#report(`${quote(subject)} is not a part of this site’s owner`)
      return
    }
    const uri = partUri(this.#owner, key, this.#namespace)
    if (inside.includes(uri)) {
      this.#report(`the part ${uri} contains itself`)
      return
    }
    if (inside.length >= partDepthMax) {
      this.#report(`parts are nested more than ${partDepthMax} deep`)
      return
    }
    this.#named.add(uri)
    if (this.#named.size > partsMax) {
      this.#report(`the site has over ${partsMax} parts`)
      return
    }
    const directory = this.#parts.get(uri)
    if (directory === undefined) this.#missing.add(uri)
    else this.#enter({ path, directory, inside: [...inside, uri] })
  }

  #report(problem: string): void {
    if (this.#problems.length < problemsMax) this.#problems.push(problem)
  }
}
