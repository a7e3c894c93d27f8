import { type AccountRepo, UnusableAnswerError } from '#atproto/repo/account-repo.ts'
import { defaultSettings, type SiteSettings } from '#site/record/settings.ts'
import type { SiteName } from '#site/site-name.ts'
import { patienceOfAPerson, withPatience } from './server-patience.ts'

interface SettingsContext {
  readonly repo: Pick<AccountRepo, 'did' | 'findRecord' | 'putRecord'>
  readonly now: () => number
  readonly signal: AbortSignal
}

export type SettingsOutcome =
  | { readonly written: true; readonly uri: string; readonly cid: string }
  | { readonly written: false; readonly reason: 'no-site' }

const collection = 'place.sitehost.settings'

/**
 * The record as it is in the repository, whoever wrote it; the defaults only when there is none. Throws
 * UnusableAnswerError for one that holds more than settings can.
 */
export async function readSettings(
  name: SiteName,
  { repo, now, signal }: SettingsContext,
): Promise<unknown> {
  const find = () => repo.findRecord(collection, name)
  const record = await withPatience(find, { now, signal, ...patienceOfAPerson })
  if (record === null) return defaultSettings
  if (record.value === null) throw new UnusableAnswerError('com.atproto.repo.getRecord', 'value')
  return record.value
}

/**
 * Replaces the whole record of a site that the repository holds. A record that says the same already
 * stays as it is and costs no commit.
 */
export async function writeSettings(
  name: SiteName,
  settings: SiteSettings,
  { repo, now, signal }: SettingsContext,
): Promise<SettingsOutcome> {
  const patience = { now, signal, ...patienceOfAPerson }
  const [site, current] = await withPatience(
    () =>
      Promise.all([repo.findRecord('place.sitehost.fs', name), repo.findRecord(collection, name)]),
    patience,
  )
  if (site === null) return { written: false, reason: 'no-site' }
  if (current?.cid && Bun.deepEquals(current.value, settings)) {
    return { written: true, uri: `at://${repo.did}/${collection}/${name}`, cid: current.cid }
  }
  const put = () => repo.putRecord(collection, name, { ...settings })
  const { uri, cid } = await withPatience(put, patience)
  return { written: true, uri, cid }
}
