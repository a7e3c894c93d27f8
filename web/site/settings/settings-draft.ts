import type { Asked } from '#api/contract/client.ts'
import { versionsKeptDefault } from '#site/limits.ts'

/** A site's settings while they are in a form. */
export interface SettingsDraft {
  readonly cleanUrls: boolean
  readonly trailingSlash: TrailingSlash
  /** Names, with commas between them. */
  readonly indexFiles: string
  readonly whenMissing: WhenMissing
  /** Path of the page of this choice, whether it is chosen or not. */
  readonly spaMode: string
  readonly custom404: string
  readonly headers: readonly HeaderDraft[]
  /** How many versions are kept, as typed. */
  readonly keep: string
}

export type TrailingSlash = 'auto' | 'always' | 'never'

/** What visitors get where there is no page. The choices exclude each other. */
export type WhenMissing = 'notFound' | 'custom404' | 'spaMode' | 'directoryListing'

export interface HeaderDraft {
  /** Of the row, while it is edited. */
  readonly id: number
  /** Empty: every address. */
  readonly path: string
  readonly name: string
  readonly value: string
}

type Settings = Asked<'POST /api/site/:rkey/settings'>['body']

/** What a record says, which any program may have written; where it makes no sense, what counts without it. */
export function draftOf(record: Readonly<Record<string, unknown>>): SettingsDraft {
  const { cleanUrls, trailingSlash, indexFiles, headers, history } = record
  const keep = isObject(history) ? history['keep'] : undefined
  return {
    cleanUrls: cleanUrls === true,
    trailingSlash: trailingSlash === 'always' || trailingSlash === 'never' ? trailingSlash : 'auto',
    indexFiles: Array.isArray(indexFiles) ? indexFiles.join(', ') : 'index.html',
    whenMissing: modes.find((mode) => Boolean(record[mode])) ?? 'notFound',
    spaMode: pathOf(record['spaMode']) ?? 'index.html',
    custom404: pathOf(record['custom404']) ?? '404.html',
    headers: Array.isArray(headers) ? headers.filter(isObject).map(headerOf) : [],
    keep: String(typeof keep === 'number' ? keep : versionsKeptDefault),
  }
}

/** The whole record that a draft makes of the one it was made of: what it does not know stays. */
export function settingsOf(
  draft: SettingsDraft,
  record: Readonly<Record<string, unknown>>,
): Settings {
  const { cleanUrls, whenMissing, trailingSlash } = draft
  const isBroken = 'history' in record && !isObject(record['history'])
  const history = isObject(record['history']) ? record['history'] : {}
  const keep = Number(draft.keep)
  const isOwnKeep = isBroken || keep !== versionsKeptDefault || 'keep' in history
  const headers = filledHeaders(draft).map(({ path, name, value }) => ({
    name: name.trim(),
    value: value.trim(),
    ...(path.trim() !== '' && { path: path.trim() }),
  }))
  return {
    ...record,
    cleanUrls,
    trailingSlash,
    indexFiles: draft.indexFiles
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    directoryListing: whenMissing === 'directoryListing',
    spaMode: whenMissing === 'spaMode' ? draft.spaMode : '',
    custom404: whenMissing === 'custom404' ? draft.custom404 : '',
    ...((headers.length > 0 || 'headers' in record) && { headers }),
    ...(isOwnKeep && { history: { ...history, keep } }),
  }
}

/** The rows that are sent, in their order; a row in which nothing is typed is none. */
export const filledHeaders = ({ headers }: SettingsDraft): HeaderDraft[] =>
  headers.filter(({ path, name, value }) => `${path}${name}${value}`.trim() !== '')

/** Whether two drafts mean the same, for a record that neither of them knows whole. */
export const isSameDraft = (a: SettingsDraft, b: SettingsDraft): boolean =>
  JSON.stringify(settingsOf(a, {})) === JSON.stringify(settingsOf(b, {}))

const modes = ['spaMode', 'custom404', 'directoryListing'] as const

const pathOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

const headerOf = (header: Record<string, unknown>, id: number): HeaderDraft => ({
  id,
  path: textOf(header['path']),
  name: textOf(header['name']),
  value: textOf(header['value']),
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
