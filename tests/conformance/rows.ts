import type { Row } from './row.ts'
import { adminRows } from './rows-admin.ts'
import { authRows } from './rows-auth.ts'
import { customDomainRows, subdomainRows } from './rows-domain.ts'
import { generalRows } from './rows-general.ts'
import { leavingRows } from './rows-leaving.ts'
import { signInRows } from './rows-sign-ins.ts'
import { siteRows } from './rows-site.ts'
import { progressRows, uploadRows } from './rows-upload.ts'
import { userRows } from './rows-user.ts'

/** The table. */
export const rows: readonly Row[] = [
  ...[...generalRows, ...authRows, ...userRows, ...subdomainRows, ...customDomainRows],
  ...[...signInRows, ...leavingRows],
  ...[...siteRows, ...progressRows, ...uploadRows, ...adminRows],
]
