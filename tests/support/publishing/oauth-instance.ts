import { Identities } from '#atproto/identity/identity.ts'
import { openOAuth } from '#main/service/open-oauth.ts'
import type { Log } from '#observe/log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { openDatabase } from '#store/database/database.ts'
import type { StoredSessionsOptions } from '#tests/support/database/stored-sessions.ts'

export interface OAuthInstanceOptions extends StoredSessionsOptions {
  readonly plc: string
  readonly pds: string
}

/** Sign-in at the servers of a network, as a service at a loopback address has it on this database. */
export async function openOAuthInstance({ database, secret, plc, pds }: OAuthInstanceOptions) {
  const opened = openDatabase(database)
  const fetch = createSafeFetch({
    allowPrivate: true,
    perHost: { max: 32, waitingMax: 1000 },
  })
  const { oauth } = await openOAuth({
    ...{ db: opened.db, fetch, allowHttp: true, log: silent },
    secrets: [secret],
    origin: 'http://127.0.0.1:3000',
    identities: new Identities({ fetch, plcUrl: plc, handleResolverUrl: pds, allowHttp: true }),
  })
  return { oauth, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
}

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
