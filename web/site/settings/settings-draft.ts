import type { Asked } from '#api/contract/client.ts'

/** A site's settings while they are in a form. */
export interface SettingsDraft {
  readonly cleanUrls: boolean
  /** Empty: for folders only. */
  readonly trailingSlash: '' | 'always' | 'never'
  /** Names, with commas between them. */
  readonly indexFiles: string
  readonly whenMissing: WhenMissing
  /** Path of the page of this choice, whether it is chosen or not. */
  readonly spaMode: string
  readonly custom404: string
}

/** What visitors get where there is no page. The choices exclude each other. */
export type WhenMissing = 'notFound' | 'custom404' | 'spaMode' | 'directoryListing'

type Settings = Asked<'POST /api/site/:rkey/settings'>['body']

/** What a record says, which any program may have written; where it makes no sense, what counts without it. */
export function draftOf(record: Readonly<Record<string, unknown>>): SettingsDraft {
  const { cleanUrls, trailingSlash, indexFiles } = record
  return {
    cleanUrls: cleanUrls === true,
    trailingSlash: trailingSlash === 'always' || trailingSlash === 'never' ? trailingSlash : '',
    indexFiles: Array.isArray(indexFiles) ? indexFiles.join(', ') : 'index.html',
    whenMissing: modes.find((mode) => Boolean(record[mode])) ?? 'notFound',
    spaMode: pathOf(record['spaMode']) ?? 'index.html',
    custom404: pathOf(record['custom404']) ?? '404.html',
  }
}

/** The whole record that a draft makes of the one it was made of: what it does not know stays, such as headers. */
export function settingsOf(
  draft: SettingsDraft,
  record: Readonly<Record<string, unknown>>,
): Settings {
  const { cleanUrls, whenMissing } = draft
  return {
    ...record,
    cleanUrls,
    trailingSlash: draft.trailingSlash || 'auto',
    indexFiles: draft.indexFiles
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
    directoryListing: whenMissing === 'directoryListing',
    spaMode: whenMissing === 'spaMode' ? sitePath(draft.spaMode) : '',
    custom404: whenMissing === 'custom404' ? sitePath(draft.custom404) : '',
  }
}

/** As people write it, with a slash in front, and as the record has it. */
const sitePath = (typed: string): string => typed.trim().replace(/^\/+/, '')

const modes = ['spaMode', 'custom404', 'directoryListing'] as const

const pathOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null
