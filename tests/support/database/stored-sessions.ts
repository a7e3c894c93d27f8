import type { StoredSession } from '@atcute/oauth-node-client'
import type { ClientKey } from '#atproto/oauth/client-keys.ts'
import { sealedStore } from '#atproto/oauth/oauth-rows.ts'
import { openSealing } from '#main/service/open-oauth.ts'
import type { Did } from '#site/site-address.ts'
import { openDatabase } from '#store/database/database.ts'

/** Where a service keeps its sessions, and what opens them. */
export interface StoredSessionsOptions {
  readonly database: { readonly url?: string; readonly file?: string }
  readonly secret: string
}

/** Makes the account's stored access token look as old as one of an hour ago. */
export async function expireTokens(did: Did, options: StoredSessionsOptions): Promise<void> {
  await using open = await openStoredSessions(options)
  const session = await open.sessions.get(did)
  if (session === undefined) throw new Error(`no session of ${did}`)
  await open.sessions.set(did, { ...session, tokenSet: { ...session.tokenSet, expires_at: 0 } })
}

/** What a service has sealed, to read and to change. */
export async function openStoredSessions({ database, secret }: StoredSessionsOptions) {
  const opened = openDatabase(database)
  const { rows, seal } = await openSealing({ db: opened.db, secrets: [secret] })
  return {
    sessions: sealedStore<Did, StoredSession>(rows, seal, 'oauth-session'),
    clientKeys: sealedStore<string, ClientKey>(rows, seal, 'oauth-client-key'),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
