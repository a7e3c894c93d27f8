import type { Migration } from 'kysely'
import { firstTables } from './0001-first-tables.ts'
import { uploadedBlobs } from './0002-uploaded-blobs.ts'
import { jobsWriting } from './0003-jobs-writing.ts'
import { sitesAnew } from './0004-sites-anew.ts'
import { domains } from './0005-domains.ts'
import { accountsAndGarbage } from './0006-accounts-and-garbage.ts'

/**
 * All migrations by name, in their order. One that was released is never edited, renamed or
 * removed.
 */
export function migrations(dialect: 'sqlite' | 'postgres'): Record<string, Migration> {
  return {
    '0001-first-tables': firstTables(dialect),
    '0002-uploaded-blobs': uploadedBlobs(dialect),
    '0003-jobs-writing': jobsWriting(),
    '0004-sites-anew': sitesAnew(),
    '0005-domains': domains(dialect),
    '0006-accounts-and-garbage': accountsAndGarbage(dialect),
  }
}
