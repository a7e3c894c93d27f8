import type { Row } from './row.ts'
import { accountDeletionRows } from './rows-account-deletion.ts'
import { adminRows } from './rows-admin.ts'
import { authRows } from './rows-auth.ts'
import { deployRows } from './rows-deploys.ts'
import { customDomainRows, subdomainRows } from './rows-domain.ts'
import { generalRows } from './rows-general.ts'
import { moderationRows } from './rows-moderation.ts'
import { signInRows } from './rows-sign-ins.ts'
import { siteRows } from './rows-site.ts'
import { tokenRows } from './rows-tokens.ts'
import { progressRows, uploadRows } from './rows-upload.ts'
import { userRows } from './rows-user.ts'
import { versionRows } from './rows-versions.ts'
import { webhookRows } from './rows-webhooks.ts'

/** The table. */
export const rows: readonly Row[] = [
  ...[...generalRows, ...authRows, ...userRows, ...subdomainRows, ...customDomainRows],
  ...[...signInRows, ...accountDeletionRows],
  ...[...siteRows, ...progressRows, ...uploadRows, ...adminRows],
  ...[...moderationRows, ...versionRows, ...deployRows, ...tokenRows, ...webhookRows],
]
