import { sql } from 'kysely'
import { siteLabel } from '#site/site-address.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import { encodeSnapshot } from '#site/visit/snapshot.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { accountOf, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { snapshotOf } from '#tests/support/visitors/served-site.ts'

/** Sites of one account. */
const sitesOfOne = 4
/** Each n-th site has a custom domain, and a version record with an alias. */
export const customEach = 10
const rowsAtOnce = 2_000
/** All rows are of this time. */
export const at = Date.UTC(2030, 0, 1)

export const subdomainOf = (n: number): string => `name-${n}.localhost`
export const customDomainOf = (n: number): string => `www.custom-${n}.example`
export const siteAt = (n: number) => siteOf(`site-${n}`, accountOf(Math.floor(n / sitesOfOne)))
export const labelOf = (n: number): string => siteLabel(siteAt(n))

/** Fills a database with so many sites, each with a subdomain; a tenth have a custom domain and a preview. Ten files each. */
export async function fillNames(
  options: { readonly url?: string; readonly file?: string },
  sites: number,
  files: Readonly<Record<string, SnapshotFile>>,
): Promise<void> {
  await using database = openDatabase(options)
  await migrate(database)
  for (let from = 0; from < sites; from += rowsAtOnce) {
    const numbers = Array.from({ length: Math.min(rowsAtOnce, sites - from) }, (_, n) => from + n)
    for (const [table, rows] of Object.entries(rowsOf(numbers, files))) {
      await insert(database, table, rows)
    }
  }
  if (database.dialect === 'postgres') await sql`analyze`.execute(database.db)
}

export type Row = Readonly<Record<string, string | number | null>>

function rowsOf(
  numbers: readonly number[],
  files: Readonly<Record<string, SnapshotFile>>,
): Record<string, Row[]> {
  const times = { created_at: at, updated_at: at }
  const withMore = numbers.filter((n) => n % customEach === 0)
  return {
    accounts: numbers
      .filter((n) => n % sitesOfOne === 0)
      .map((n) => ({
        did: siteAt(n).did,
        handle: `account-${n}.example`,
        pds: `https://pds-${n % 100}.example`,
        status: 'active',
        status_since: 0,
        last_check: 0,
        ...times,
      })),
    sites: numbers.map((n) => ({
      ...siteAt(n),
      label: labelOf(n),
      live_version_id: `version-${n}`,
      ...times,
    })),
    versions: numbers.map((n) => ({
      id: `version-${n}`,
      ...siteAt(n),
      record_cid: `cid-${n}`,
      rev: '3kaaaaaaaaaa2',
      state: 'live',
      problems: '[]',
      snapshot: encodeSnapshot(snapshotOf(files, siteAt(n))),
      file_count: Object.keys(files).length,
      bytes: 10_000,
      published_at: at,
      seen_at: at,
    })),
    blobs: numbers.map((n) => ({
      cid: `cid-of-blob-${n}`,
      coding: 'identity',
      base64: 0,
      hash: hashOf(n),
      stored_bytes: 1_000,
      decoded_hash: hashOf(n),
      decoded_bytes: 1_000,
      created_at: at,
    })),
    subdomains: numbers.map((n) => ({ domain: subdomainOf(n), ...placeOf(n), ...times })),
    custom_domains: withMore.map((n) => ({
      id: `custom-${n}`,
      domain: customDomainOf(n),
      ...placeOf(n),
      verified: 1,
      misses: 0,
      confirmed_at: at,
      next_check_at: Date.UTC(2100, 0, 1),
      ...times,
    })),
    version_records: withMore.map((n) => ({
      did: siteAt(n).did,
      key: versionKeyOf(n),
      id: `record-${n}`,
      site: siteAt(n).name,
      site_label: labelOf(n),
      state: 'kept',
      cid: `cid-${n}`,
      rev: '3kaaaaaaaaaa2',
      label: `v--${hashOf(n)
        .slice(0, 26)
        .replace(/[0189]/g, 'z')}`,
      alias: 'draft',
      pinned: 0,
      created_at: at,
      file_count: 10,
      bytes: 10_000,
      problems: '[]',
      snapshot: encodeSnapshot(snapshotOf(files, siteAt(n))),
      seen_at: at,
      withdrawn: 0,
    })),
  }
}

const placeOf = (n: number) => ({ did: siteAt(n).did, site: siteAt(n).name, is_primary: 0 })

const hashOf = (n: number): string => new Bun.CryptoHasher('sha256').update(`${n}`).digest('hex')

/** One parameter: lists of values would be compiled row by row. */
export async function insert({ db, dialect }: Database, table: string, rows: readonly Row[]) {
  const columns = Object.keys(rows[0] ?? {})
  if (columns.length === 0) return
  const json = JSON.stringify(rows)
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values =
    dialect === 'postgres'
      ? sql`select ${names} from jsonb_populate_recordset(null::${sql.ref(table)}, cast(${json} as jsonb))`
      : sql`select ${sql.join(columns.map((column) => sql`value ->> ${sql.lit(column)}`))} from json_each(${json})`
  await sql`insert into ${sql.ref(table)} (${names}) ${values}`.execute(db)
}
