import { Database } from 'bun:sqlite'
import { join } from 'node:path'

/** A session of the OAuth kind, as the reference PDS keeps it. */
export interface PdsToken {
  readonly did: string
  readonly clientId: string
  readonly method: string
  /** Of the client key that it began with. */
  readonly kid: string | undefined
  readonly refreshes: number
}

/** All that the PDS of a network has, the oldest first. */
export function readPdsTokens(networkDir: string): PdsToken[] {
  using accounts = new Database(join(networkDir, 'account.sqlite'), { readonly: true })
  const rows = accounts
    .query<{ did: string; clientId: string; clientAuth: string; refreshes: number }, []>(
      `select did, "clientId", "clientAuth",
        (select count(*) from used_refresh_token used where used."tokenId" = token.id) refreshes
        from token order by id`,
    )
    .all()
  return rows.map(({ did, clientId, clientAuth, refreshes }) => {
    const { method, kid } = JSON.parse(clientAuth) as Pick<PdsToken, 'method' | 'kid'>
    return { did, clientId, method, kid, refreshes }
  })
}

/**
 * From now on the access tokens that were given out are none; the refresh tokens still are. What a server does
 * that has changed the key it signs them with.
 */
export function invalidateAccessTokens(networkDir: string): void {
  using accounts = openToWrite(networkDir)
  accounts.run(`update token set "tokenId" = 'tok-' || lower(hex(randomblob(16)))`)
}

/** What “sign out everywhere” on the account's server does to its tokens. */
export function endSessionsOnServer(networkDir: string): void {
  using accounts = openToWrite(networkDir)
  accounts.run('delete from token')
}

function openToWrite(networkDir: string): Database {
  const accounts = new Database(join(networkDir, 'account.sqlite'))
  // The server may be writing.
  accounts.run('pragma busy_timeout = 10000')
  return accounts
}
