import type { ListedRecord } from '#atproto/repo/account-repo.ts'
import { UnusableAnswerError } from '#outbound/server-errors.ts'
import { ownNamespace } from '#site/namespace.ts'
import { defaultSettings, type SiteSettings } from '#site/record/settings.ts'
import { isSameJson } from '#site/same-json.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import {
  type CommitPlan,
  commitOnHead,
  deletion,
  type PlannedWrite,
  type RepoContext,
  SiteConflictError,
} from './commit-on-head.ts'
import type { RepositoryState } from './repository/read-repository.ts'
import { patienceOfAPerson, withPatience } from './server-patience.ts'
import { settingsOf } from './site-records.ts'

const collection = ownNamespace.settings

interface StoredSettings {
  /** Whichever program wrote it; the defaults if there is none. */
  readonly record: unknown
  /** Null: there is no record. Empty: the server does not say. */
  readonly cid: string | null
}

/** The record in the repository. Throws UnusableAnswerError for one that is larger than settings can be. */
export async function readSettings(
  name: SiteName,
  { repo, now, pause, signal }: RepoContext,
): Promise<StoredSettings> {
  const find = () => repo.findRecord(collection, name)
  const record = await withPatience(find, { now, pause, signal, ...patienceOfAPerson })
  if (record === null) return { record: defaultSettings, cid: null }
  if (record.value === null) throw new UnusableAnswerError('com.atproto.repo.getRecord', 'value')
  return { record: record.value, cid: record.cid }
}

/**
 * Replaces the whole record; null if the repository holds no such site. An equal record is left as it is, without a
 * commit. Throws SiteConflictError when another program changes the settings meanwhile, or has since the owner read
 * them (`isExpected`, of the current record's CID; null: none): the owner decides which settings to keep.
 */
export async function writeSettings(
  name: SiteName,
  settings: SiteSettings,
  { repo, now, pause, signal }: RepoContext,
  isExpected: (cid: string | null) => boolean = () => true,
): Promise<WrittenSettings> {
  const conflict = () => new SiteConflictError({ did: repo.did, name })
  const written = (cid: string) => ({ uri: `at://${repo.did}/${collection}/${name}`, cid })
  const plan = (now: SettingsAtHead, first: SettingsAtHead): CommitPlan<WrittenSettings> => {
    const { current } = now
    if (!now.isSite) return { kind: 'done', result: null }
    if (current?.cid && isSameJson(current.value, settings)) {
      return { kind: 'done', result: written(current.cid) }
    }
    if (current?.cid !== first.current?.cid) throw conflict()
    if (!isExpected(current === null ? null : current.cid)) throw conflict()
    const write: PlannedWrite = {
      action: current === null ? 'create' : 'update',
      collection,
      rkey: name,
      value: { ...settings },
      // Some servers do not return the CID.
      replaces: current === null ? null : current.cid || undefined,
    }
    return { kind: 'write', writes: [write], written: ([cid]) => (cid ? written(cid) : null) }
  }
  return await commitOnHead(
    { read: () => readAtHead(name, repo), plan, mayWriteAlone: true, conflict },
    { repo, now, pause, signal, ...patienceOfAPerson },
  )
}

/** The write that makes these the site's settings; none if they are so already. Null: the site has none. */
export function settingsWrites(
  wanted: SiteSettings | null,
  now: Pick<RepositoryState, 'settings'>,
  { name: rkey }: SiteAddress,
): PlannedWrite[] {
  const present = now.settings
  if (isSameJson(settingsOf(now), wanted)) return []
  // Some servers do not return the CID.
  const replaces = present === null ? null : present.cid || undefined
  if (wanted === null)
    return present === null ? [] : [deletion(collection, rkey, replaces ?? undefined)]
  const action = present === null ? 'create' : 'update'
  return [{ action, collection, rkey, value: { ...wanted }, replaces }]
}

type WrittenSettings = { readonly uri: string; readonly cid: string } | null

interface SettingsAtHead {
  readonly head: string
  readonly isSite: boolean
  readonly current: ListedRecord | null
}

async function readAtHead(name: SiteName, repo: RepoContext['repo']): Promise<SettingsAtHead> {
  const head = await repo.latestCommit()
  const [site, current] = await Promise.all([
    repo.findRecord(ownNamespace.fs, name),
    repo.findRecord(collection, name),
  ])
  return { head, isSite: site !== null, current }
}
