import { CertificateFileError } from '#certificates/certificate-files.ts'
import { CertificateStates, type CertificateTotals } from '#certificates/certificate-states.ts'
import { FileCertificates } from '#certificates/file-certificates.ts'
import type { Config } from '#main/config/config.ts'
import type { Db } from '#store/database/database.ts'

export interface CertificateStatus extends Pick<CertificateTotals, 'soonestExpiry' | 'states'> {
  /** Of certificates that are not issued, or not renewed. */
  readonly problems: Readonly<Record<string, number>>
  /** Which of TLS_FILES cannot be used, and why: then none of them is counted. Null: all can. */
  readonly filesProblem: string | null
}

/** Of the certificates that the service shows itself; null: a TLS front keeps them. */
export async function readCertificateStatus(
  { tls }: { readonly tls: Pick<NonNullable<Config['tls']>, 'files' | 'ordering'> | null },
  db: Db,
  now: number,
): Promise<CertificateStatus | null> {
  if (tls === null) return null
  const files = new FileCertificates(tls.files)
  const filesProblem = await certificateFilesProblem(files)
  const isOrdering = tls.ordering !== null
  const states = new CertificateStates({ db, files, isOrdering, now: () => now })
  const { problems, ...totals } = await states.totals()
  return { ...totals, problems: Object.fromEntries(problems), filesProblem }
}

/** Reads the files. Which of them cannot be used, and why; null: all can. */
export async function certificateFilesProblem(files: FileCertificates): Promise<string | null> {
  try {
    await files.read()
    return null
  } catch (error) {
    if (!(error instanceof CertificateFileError)) throw error
    return error.message
  }
}
