import { type Config, UnusableError } from '#main/config/config.ts'
import { behindFront } from '#main/config/tls-config.ts'
import type { Log } from '#observe/log.ts'
import { listAccounts } from '#store/accounts/accounts.ts'
import { listCertificateNames } from '#store/certificates/certificates.ts'
import type { Db } from '#store/database/database.ts'

/**
 * Where TLS ends if no setting says it: here in a new instance, and in one that has ordered certificates. An instance that has
 * accounts and ordered none has a front, whose ports it must not take. Logs what it decides.
 */
export async function settleTls(
  config: Config,
  { db, log }: { readonly db: Db; readonly log: Log },
): Promise<Config> {
  if (config.tlsMode !== 'assumed') {
    if (config.tls !== null) log.info('TLS ends here', { why: `TLS=${config.tlsMode}` })
    return config
  }
  if (await hasFront(db)) {
    log.info('TLS ends in a front', {
      why: 'TLS is not set, and this instance has ordered no certificate so far',
    })
    return { ...config, ...behindFront }
  }
  log.info('TLS ends here', { why: 'TLS is not set, and CONTACT is: behind a front set TLS=off' })
  return config
}

async function hasFront(db: Db): Promise<boolean> {
  const [account] = await listAccounts(db, { limit: 1 })
  if (account === undefined) return false
  for (const isWanted of [true, false]) {
    const [name] = await listCertificateNames(db, { isWanted, after: '', limit: 1 })
    if (name !== undefined) return false
  }
  return true
}

/** Why it cannot listen, for people who have not said that it is to end TLS. */
export function unsetTlsError(error: unknown, { tlsMode }: Pick<Config, 'tlsMode'>): unknown {
  if (tlsMode !== 'assumed' || !(error instanceof UnusableError)) return error
  const why = 'as TLS is not set and CONTACT is, TLS ends here; behind a front, set TLS=off'
  return new UnusableError(`${error.message} (${why})`, { cause: error })
}
