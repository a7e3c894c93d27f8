import { compareBytes } from '#site/path.ts'
import { isSameJson } from '#site/same-json.ts'
import { defaultSettings, type SiteSettings } from './settings.ts'

/** A file as its visitors get it. */
export interface ComparedFile {
  /** SHA-256 of the stored bytes. */
  readonly hash: string
  readonly coding: string
  readonly contentType: string
  /** Of the decoded content. */
  readonly bytes: number
}

/** A path and the size of what is there now; of a removed file, of what was there. */
export interface ChangedFile {
  readonly path: string
  readonly bytes: number
}

export interface TreeChanges {
  readonly added: readonly ChangedFile[]
  readonly changed: readonly ChangedFile[]
  readonly removed: readonly ChangedFile[]
}

/** What leads from the files of one version to those of another, each list in the order of paths. */
export function compareTrees(
  from: ReadonlyMap<string, ComparedFile>,
  to: ReadonlyMap<string, ComparedFile>,
): TreeChanges {
  const kept = rowsOf(to).filter(({ path }) => from.has(path))
  return {
    added: rowsOf(to).filter(({ path }) => !from.has(path)),
    changed: kept.filter(({ path }) => !isSameFile(from.get(path), to.get(path))),
    removed: rowsOf(from).filter(({ path }) => !to.has(path)),
  }
}

function rowsOf(files: ReadonlyMap<string, ComparedFile>): ChangedFile[] {
  const rows = Array.from(files, ([path, { bytes }]) => ({ path, bytes }))
  return rows.sort((a, b) => compareBytes(a.path, b.path))
}

const isSameFile = (a: ComparedFile | undefined, b: ComparedFile | undefined): boolean =>
  a?.hash === b?.hash && a?.coding === b?.coding && a?.contentType === b?.contentType

export interface ChangedSetting {
  readonly field: string
  /** As in the record; null: not set. */
  readonly from: unknown
  readonly to: unknown
}

/**
 * The fields in which settings differ, by name. A field that is not set equals its default; without a record every
 * field has its default.
 */
export function compareSettings(
  from: SiteSettings | null,
  to: SiteSettings | null,
): ChangedSetting[] {
  const [before, after] = [fieldsOf(from), fieldsOf(to)]
  const fields = [...new Set([...before.keys(), ...after.keys()])].sort()
  return fields
    .map((field) => ({ field, from: before.get(field) ?? null, to: after.get(field) ?? null }))
    .filter((change) => !isSameJson(change.from, change.to))
}

function fieldsOf(settings: SiteSettings | null): ReadonlyMap<string, unknown> {
  const fields = Object.entries({ ...defaultSettings, ...settings })
  return new Map(fields.filter(([field, value]) => field !== '$type' && !isUnset(value)))
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
