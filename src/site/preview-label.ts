import { parsePreviewAlias } from './preview-alias.ts'

/** The first part of a preview's host, `pr-12--blog`: it follows the newest preview with that alias. */
export interface PreviewLabel {
  readonly alias: string
  /** The site's claimed name, or the 26 characters of its own label (`s--…`). */
  readonly of: string
}

/** Null for other labels, and for one above the 63 characters of DNS. */
export function parsePreviewLabel(label: string): PreviewLabel | null {
  const end = label.indexOf(separator)
  if (end === -1 || label.length > labelCharsMax) return null
  const alias = parsePreviewAlias(label.slice(0, end))
  const of = label.slice(end + separator.length)
  return alias !== null && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(of) ? { alias, of } : null
}

/**
 * The label of this preview at a site's claimed name, or at its own label (`s--…`). Null above 63 characters, which a host
 * name cannot have: the preview has no address there.
 */
export function previewLabel(alias: string, name: string): string | null {
  const label = alias + separator + name.replace(/^s--/, '')
  return label.length > labelCharsMax ? null : label
}

const separator = '--'
const labelCharsMax = 63
