import { nameOf, parentOf } from '#site/path.ts'
import { findFile, isReservedFile, type StoredFile } from './find-file.ts'
import type { SnapshotFile } from './snapshot.ts'

/** A decoded address of a site. */
export interface Address {
  /** `blog/post`: no slashes at either end, empty for the root. */
  readonly path: string
  /** Whether it ends in a slash, as the root does. */
  readonly isDirectory: boolean
}

/**
 * Which addresses files have. `plain`: their paths, and an index file its directory's too. The others drop
 * `.html` and the names of index files, as Cloudflare's asset worker does in its modes
 * auto-trailing-slash, force-trailing-slash and drop-trailing-slash.
 *
 * |          | `foo.html` is at | `foo/index.html` is at      | both are at                   |
 * | `plain`  | `/foo.html`      | `/foo/`, `/foo/index.html`  | the same                      |
 * | `auto`   | `/foo`           | `/foo/`                     | the same                      |
 * | `always` | `/foo/`          | `/foo/`                     | `/foo.html`, `/foo/`          |
 * | `never`  | `/foo`           | `/foo`                      | `/foo`, `/foo/index.html`     |
 */
export type AddressForm = 'plain' | 'auto' | 'always' | 'never'

export interface AddressedFiles {
  readonly files: ReadonlyMap<string, SnapshotFile>
  /** Names of index files; the first that exists wins. */
  readonly indexFiles: readonly string[]
  readonly addressForm: AddressForm
}

export interface Page extends StoredFile {
  /** Its canonical address; null if that is the requested one. */
  readonly redirect: Address | null
  /** Whether it could be shown at the requested address, too. */
  readonly isHere: boolean
}

/**
 * Finds the file for this address. A redirect always leads to an address where the same
 * file is shown, never to another redirect. In the form `auto`:
 *
 * - `/foo.html` exists, so `/foo` shows it, and `/foo.html`, `/foo/`, `/foo/index` and `/foo/index.html` go to `/foo`.
 * - `/bar/index.html` exists, so `/bar/` shows it, and `/bar`, `/bar.html`, `/bar/index` and `/bar/index.html` go to `/bar/`.
 */
export function findPage(site: AddressedFiles, address: Address): Page | null {
  if (isReserved(address)) return null
  const shown = shownAt(site, address)
  if (shown === null) return findElsewhere(site, address)
  const home = homeOf(site, shown, address)
  const isHome = home.path === address.path && home.isDirectory === address.isDirectory
  return { ...shown, redirect: isHome ? null : home, isHere: true }
}

/** Starts with exactly one slash; every segment as encodeURIComponent writes it, so visible ASCII. */
export function encodeAddress({ path, isDirectory }: Address): string {
  if (path === '') return '/'
  return `/${path.split('/').map(encodeURIComponent).join('/')}${isDirectory ? '/' : ''}`
}

/** Also where no such file exists: `_headers.html` cannot be shown as `/_headers`. */
const isReserved = ({ path, isDirectory }: Address): boolean => !isDirectory && isReservedFile(path)

/** `page`: `a.html` for `a`. `index`: `a/index.html` for `a`. */
type Kind = 'page' | 'index'

interface CleanAddress {
  readonly kind: Kind
  readonly isDirectory: boolean
}

/** If two files have the same address, the first wins. */
const cleanAddresses: Readonly<Record<AddressForm, readonly CleanAddress[]>> = {
  plain: [{ kind: 'index', isDirectory: true }],
  auto: [
    { kind: 'index', isDirectory: true },
    { kind: 'page', isDirectory: false },
  ],
  always: [
    { kind: 'index', isDirectory: true },
    { kind: 'page', isDirectory: true },
  ],
  never: [
    { kind: 'page', isDirectory: false },
    { kind: 'index', isDirectory: false },
  ],
}

/** The file shown here without a redirect: the one at this path (`/foo.html`), else the one whose clean address it is. */
function shownAt(site: AddressedFiles, address: Address): StoredFile | null {
  const { path, isDirectory } = address
  if (isReserved(address)) return null
  if (path === '') return findKind(site, 'index', '')
  const exact = isDirectory ? null : findFile(site.files, path)
  if (exact !== null) return exact
  for (const clean of cleanAddresses[site.addressForm]) {
    const found = clean.isDirectory === isDirectory ? findKind(site, clean.kind, path) : null
    if (found !== null) return found
  }
  return null
}

function findKind(site: AddressedFiles, kind: Kind, base: string): StoredFile | null {
  if (kind === 'page') {
    const path = `${base}.html`
    return isIndexName(site, nameOf(path)) ? null : findFile(site.files, path)
  }
  for (const name of site.indexFiles) {
    const found = findFile(site.files, base === '' ? name : `${base}/${name}`)
    if (found !== null) return found
  }
  return null
}

const isIndexName = (site: AddressedFiles, name: string): boolean => site.indexFiles.includes(name)

/** The clean address of a file that is shown here (`/foo` for `/foo.html`) if that shows the same file; else this one. */
function homeOf(site: AddressedFiles, shown: StoredFile, here: Address): Address {
  if (site.addressForm === 'plain' || here.isDirectory) return here
  const name = nameOf(here.path)
  const kind = isIndexName(site, name) ? 'index' : isPageName(name) ? 'page' : null
  const clean = cleanAddresses[site.addressForm].find((clean) => clean.kind === kind)
  if (clean === undefined) return here
  const base = kind === 'index' ? parentOf(here.path) : withoutExtension(here.path)
  const home = addressOf(base, clean)
  return shownAt(site, home)?.path === shown.path ? home : here
}

const isPageName = (name: string): boolean => name.length > '.html'.length && name.endsWith('.html')

const withoutExtension = (path: string): string => path.slice(0, -'.html'.length)

const addressOf = (base: string, { isDirectory }: CleanAddress): Address => {
  return { path: base, isDirectory: isDirectory || base === '' }
}

/** Nothing is shown here (`/foo/`), but a similar address may show the intended file (`/foo`). */
function findElsewhere(site: AddressedFiles, here: Address): Page | null {
  for (const base of meantBy(site, here)) {
    for (const clean of cleanAddresses[site.addressForm]) {
      const found = findKind(site, clean.kind, base)
      const redirect = addressOf(base, clean)
      if (found !== null && shownAt(site, redirect)?.path === found.path) {
        return { ...found, redirect, isHere: false }
      }
    }
  }
  return null
}

/** Common spellings of `d`: `d/index`, `d/index.html`, `d.html`, and the correct one with or without the slash. */
function meantBy(site: AddressedFiles, { path, isDirectory }: Address): readonly string[] {
  if (site.addressForm === 'plain') return isDirectory ? [] : [path]
  const name = nameOf(path)
  const isIndex = isIndexName(site, `${name}.html`)
  if (isDirectory) {
    return isIndex && findFile(site.files, `${path}.html`) !== null
      ? [path, parentOf(path)]
      : [path]
  }
  if (isIndex || isIndexName(site, name)) return [parentOf(path), path]
  return isPageName(name) ? [withoutExtension(path), path] : [path]
}
