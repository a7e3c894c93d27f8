import { listRecords, type PdsAccount } from '#tests/support/accounts.ts'

/** Keys of the account's parts that neither a site nor a version record reaches. */
export async function orphanedParts(account: Pick<PdsAccount, 'did' | 'pds'>): Promise<string[]> {
  const parts = await listRecords(account, 'place.sitehost.subfs')
  const reached = new Set<string>()
  const named = await Promise.all([
    listRecords(account, 'place.sitehost.fs'),
    listRecords(account, 'place.sitehost.version'),
  ])
  const waiting: unknown[] = named.flat().map(({ value }) => value)
  for (const value of waiting) {
    for (const { rkey, value: part } of parts) {
      if (reached.has(rkey) || !JSON.stringify(value).includes(`/${rkey}"`)) continue
      reached.add(rkey)
      waiting.push(part)
    }
  }
  return parts.map(({ rkey }) => rkey).filter((rkey) => !reached.has(rkey))
}
