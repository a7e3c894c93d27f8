import type { Transaction } from 'kysely'
import { previewLabel } from '#site/preview-label.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { Schema } from '#store/database/schema.ts'

/** Addresses of a site that are answered with 410; older ones are answered as if they had never been. */
export const forgottenVersionsMax = 200

interface Forgotten {
  readonly did: Did
  readonly site: SiteName | ''
  readonly siteLabel: string
  readonly label: string | null
  readonly alias: string | null
}

/**
 * Remembers the address of a version that was removed, unless another record has the same content, and that of its alias,
 * which only counts while no other record has it.
 */
export async function rememberForgotten(
  transaction: Transaction<Schema>,
  { did, site, siteLabel, label, alias }: Forgotten,
  now: number,
): Promise<void> {
  if (label === null || site === '') return
  const others = transaction.selectFrom('versionRecords').select('key').where('label', '=', label)
  const hasOthers = (await others.limit(1).executeTakeFirst()) !== undefined
  const labels = [hasOthers ? null : label, alias && previewLabel(alias, siteLabel)]
  for (const gone of labels.filter((each) => each !== null)) {
    await transaction
      .insertInto('forgottenVersions')
      .values({ did, site, label: gone, forgottenAt: now })
      .onConflict((conflict) => conflict.column('label').doUpdateSet({ forgottenAt: now }))
      .execute()
  }
  const oldest = transaction
    .selectFrom('forgottenVersions')
    .select('label')
    .where('did', '=', did)
    .where('site', '=', site)
    .orderBy('forgottenAt', 'desc')
    .orderBy('label')
    .offset(forgottenVersionsMax)
    .limit(forgottenVersionsMax)
  await transaction.deleteFrom('forgottenVersions').where('label', 'in', oldest).execute()
}

/** For a version that is kept again. */
export async function rememberKept(transaction: Transaction<Schema>, label: string): Promise<void> {
  await transaction.deleteFrom('forgottenVersions').where('label', '=', label).execute()
}
