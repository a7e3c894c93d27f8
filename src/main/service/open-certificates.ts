import type { Certificate } from '#certificates/certificate.ts'
import { certificateNamesOf } from '#certificates/certificate.ts'
import { CertificateFileError, type CertificateFiles } from '#certificates/certificate-files.ts'
import { CertificateIndex } from '#certificates/certificate-index.ts'
import { challengeName } from '#certificates/dns/challenge-zone.ts'
import { FileCertificates } from '#certificates/file-certificates.ts'
import { PendingChallenges } from '#certificates/pending-challenges.ts'
import { certificateContext, openKeySeal } from '#certificates/sealed-keys.ts'
import type { RoutedHosts } from '#edge/names/route.ts'
import type { ServedNames } from '#edge/names/served-names.ts'
import { firstCertificateMsMax } from '#edge/tls/first-certificates.ts'
import type { CertificatePlace } from '#edge/tls/secure-contexts.ts'
import { WantedCertificates } from '#edge/tls/want-certificates.ts'
import { UnusableError } from '#main/config/config.ts'
import { aborted } from '#main/process/end-of-background.ts'
import type { Log } from '#observe/log.ts'
import { readChallengeAnswers } from '#store/certificates/acme.ts'
import { findCertificate, findCertificateFacts } from '#store/certificates/certificates.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'

interface OrderOptions {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly names: ServedNames
  readonly hosts: RoutedHosts
  readonly secrets: readonly [string, ...string[]]
  /** Whether one is ordered for all names below the base domain. */
  readonly ordersWildcard: boolean
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Reads the certificates of TLS_FILES. Throws UnusableError if one cannot be used. */
export async function openFileCertificates(
  files: readonly CertificateFiles[],
): Promise<FileCertificates> {
  const certificates = new FileCertificates(files)
  try {
    await certificates.read()
  } catch (error) {
    if (!(error instanceof CertificateFileError)) throw error
    throw new UnusableError(`TLS_FILES: ${error.message}`, { cause: error })
  }
  return certificates
}

/** Where a certificate for the host is among the files; null: nowhere. */
export const nameInFiles = (files: Pick<FileCertificates, 'find'>, host: string): string | null =>
  certificateNamesOf(host).find((name) => files.find(name) !== null) ?? null

/** The certificates that the thread of ingest orders, as the thread that answers visitors uses them. */
export type OrderedCertificates = Awaited<ReturnType<typeof openOrderedCertificates>>

/** `files`: none is ordered for hosts that have one there. */
export async function openOrderedCertificates(
  files: FileCertificates,
  { hosts, ordersWildcard, secrets, ...options }: OrderOptions,
) {
  const { db, signal } = options
  const listening = Promise.withResolvers<void>()
  const index = new CertificateIndex()
  const seal = await openKeySeal(secrets)
  const challenges = new PendingChallenges({ read: () => readChallengeAnswers(db) })
  const isInFiles = (host: string): boolean => nameInFiles(files, host) !== null
  const wildcardName = `*.${hosts.baseDomain}`
  const isThere = () => ordersWildcard && index.changedAt(wildcardName) !== null
  const wildcard = { isOrdered: ordersWildcard, isThere }
  const wanted = new WantedCertificates({ ...options, ...hosts, isInFiles, wildcard })
  return {
    index,
    changes: index.changes,
    /** Null: there is none for the host. The wildcard comes first: what it covers is not renewed any more. */
    placeOf(host: string): CertificatePlace | null {
      const [own = host, above = ''] = certificateNamesOf(host)
      const name = above === wildcardName && isThere() ? wildcardName : own
      const version = index.changedAt(name)
      return version === null ? null : { name, version }
    },
    permits: (host: string) => wanted.permits(host),
    /** False: the last order has failed, and the next one is not soon. */
    async want(host: string): Promise<boolean> {
      await wanted.want([host])
      const { dueAt = 0, problem = null } = (await findCertificateFacts(db, [host])).get(host) ?? {}
      return problem === null || dueAt <= options.now() + firstCertificateMsMax
    },
    /** Null: none is stored for the name. */
    async read(name: string): Promise<Certificate | null> {
      const found = await findCertificate(db, name)
      if (found === null) {
        index.forget(name)
        return null
      }
      return { chain: found.chain, key: await seal.open(found.sealedKey, certificateContext(name)) }
    },
    challengeAnswer: (token: string) => challenges.answer(token),
    /** The zone of the base domain's challenges, and what authorities look for in it. */
    zone: { name: challengeName(hosts.baseDomain), nameServer: hosts.applicationHost },
    zoneValues: () => challenges.dnsValues(challengeName(hosts.baseDomain)),
    /** One look at all names, as `run` takes it every half minute. */
    review: () => wanted.review(),
    /** To be called when authorities would find challenges answered. */
    onListening: () => listening.resolve(),
    /** Until the signal; calls `listens` when challenges are answered. Nothing is wanted before: the authority would look in vain. */
    async run(listens: () => Promise<void>) {
      const begin = async (): Promise<void> => {
        await Promise.race([listening.promise, aborted(signal)])
        if (!signal.aborted) await Promise.all([wanted.run(), listens()])
      }
      await Promise.all([index.run(options), begin()])
    },
  }
}

/** Throws UnusableError if ACME_CA cannot be read. */
export async function assertReadable(caFile: string | null): Promise<void> {
  if (caFile === null || (await Bun.file(caFile).exists())) return
  throw new UnusableError(`ACME_CA: ${caFile} cannot be read`)
}
