import type { BigIntStats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { codeOf } from '#observe/code-of.ts'
import { uploadEntriesMax } from '#site/limits.ts'
import { compareBytes } from '#site/path.ts'
import { skipReason } from '#site/upload/path-rules.ts'
import { FolderError } from './folder-error.ts'

/** A file on this machine. */
export interface FolderFile {
  /** Relative to the folder, with slashes; not validated. */
  readonly path: string
  /** With all links resolved. */
  readonly realPath: string
  readonly bytes: number
  /** Differs whenever the content may have changed. */
  readonly state: string
  /** Of a link: where in the folder the file is that it leads to. */
  readonly target?: string
}

export interface LeftOut {
  readonly path: string
  readonly reason: string
}

export interface FolderListing {
  /** Sorted by path. */
  readonly files: readonly FolderFile[]
  /** A skipped folder is one entry. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * Lists all files below a folder, except those that are never part of a site. Follows links to files inside the
 * folder only. Throws FolderError.
 */
export async function listFolder(
  folder: string,
  { entriesMax = uploadEntriesMax }: { readonly entriesMax?: number } = {},
): Promise<FolderListing> {
  const root = await realFolder(folder)
  const walk = new Walk(root, entriesMax)
  try {
    await walk.enter('')
  } catch (cause) {
    throw new FolderError(`${folder} ${unreadable(cause)}`, { cause })
  }
  return {
    files: walk.files.sort((a, b) => compareBytes(a.path, b.path)),
    leftOut: walk.leftOut.sort((a, b) => compareBytes(a.path, b.path)),
  }
}

async function realFolder(folder: string): Promise<string> {
  try {
    const root = await realpath(folder)
    if ((await stat(root)).isDirectory()) return root
  } catch (cause) {
    const code = codeOf(cause)
    if (code === 'ENOENT') throw new FolderError(`There is no folder ${folder}.`, { cause })
    if (code !== 'ENOTDIR') throw new FolderError(`${folder} ${unreadable(cause)}`, { cause })
  }
  throw new FolderError(`${folder} is not a folder.`)
}

class Walk {
  readonly files: FolderFile[] = []
  readonly leftOut: LeftOut[] = []
  readonly #root: string
  readonly #entriesMax: number
  #entries = 0

  constructor(root: string, entriesMax: number) {
    this.#root = root
    this.#entriesMax = entriesMax
  }

  /** `folder` is empty or ends with a slash. */
  async enter(folder: string): Promise<void> {
    const names = await readdir(join(this.#root, folder))
    this.#entries += names.length
    if (this.#entries > this.#entriesMax) {
      throw new FolderError(
        `${this.#root} holds over ${this.#entriesMax} files and folders, more than can be published; name the folder ` +
          'that the finished site is in',
      )
    }
    await Promise.all(names.map((name) => this.#see(folder + name, skipReason(name))))
  }

  async #see(path: string, ownReason: string | null): Promise<void> {
    const reason = ownReason ?? (await this.#take(path).catch(unreadable))
    if (reason !== null) this.leftOut.push({ path, reason })
  }

  /** Why it is skipped; null if it is not. */
  async #take(path: string): Promise<string | null> {
    const place = join(this.#root, path)
    const facts = await lstat(place, { bigint: true })
    if (facts.isDirectory()) {
      await this.enter(`${path}/`)
      return null
    }
    if (facts.isSymbolicLink()) return await this.#takeLinked(path, place)
    return facts.isFile()
      ? this.#add({ path, realPath: place }, facts)
      : 'neither a file nor a folder'
  }

  async #takeLinked(path: string, link: string): Promise<string | null> {
    const place = await realpath(link)
    const target = relative(this.#root, place)
    if (leadsOut(target)) return 'a link that leads out of the folder'
    const reason = skipReason(target.replaceAll(sep, '/'))
    if (reason !== null) return `a link to a skipped file: ${reason}`
    const facts = await stat(place, { bigint: true })
    if (!facts.isFile()) return 'a link to a folder'
    return this.#add({ path, realPath: place, target: target.replaceAll(sep, '/') }, facts)
  }

  #add(place: Pick<FolderFile, 'path' | 'realPath' | 'target'>, facts: BigIntStats): null {
    const state = `${place.realPath} ${stateOfFile(facts)}`
    this.files.push({ ...place, bytes: Number(facts.size), state })
    return null
  }
}

/** Of a path that `relative` made. On Windows one to another drive is absolute. */
export const leadsOut = (path: string): boolean =>
  path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)

/** A different string whenever the file's content may have changed. */
export const stateOfFile = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${ino} ${size} ${mtimeNs} ${ctimeNs}`

function unreadable(error: unknown): string {
  const code = codeOf(error)
  // Errors without a system code are bugs, or already say what is wrong.
  if (code === undefined) throw error
  return `cannot be read (${code})`
}
