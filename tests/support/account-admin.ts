import type { PdsAccount } from './accounts.ts'

// What an account's owner, and the server's administrator, do with an account as a whole.

interface Server {
  readonly pds: string
  readonly adminPassword: string
}

export const deactivate = (account: PdsAccount): Promise<unknown> =>
  post(account.pds, 'com.atproto.server.deactivateAccount', bearer(account), {})

export const activate = (account: PdsAccount): Promise<unknown> =>
  post(account.pds, 'com.atproto.server.activateAccount', bearer(account))

/** `isApplied` false: the takedown is taken back. */
export const takeDown = (server: Server, did: string, isApplied: boolean): Promise<unknown> =>
  post(server.pds, 'com.atproto.admin.updateSubjectStatus', admin(server), {
    subject: { $type: 'com.atproto.admin.defs#repoRef', did },
    takedown: { applied: isApplied, ...(isApplied && { ref: 'test' }) },
  })

export const deleteAccount = (server: Server, did: string): Promise<unknown> =>
  post(server.pds, 'com.atproto.admin.deleteAccount', admin(server), { did })

/** As its owner does who has forgotten the one before. */
export const changePassword = (server: Server, did: string, password: string): Promise<unknown> =>
  post(server.pds, 'com.atproto.admin.updateAccountPassword', admin(server), { did, password })

export const changeHandle = (account: PdsAccount, handle: string): Promise<unknown> =>
  post(account.pds, 'com.atproto.identity.updateHandle', bearer(account), { handle })

const bearer = ({ accessJwt }: PdsAccount): string => `Bearer ${accessJwt}`

const admin = ({ adminPassword }: Server): string => `Basic ${btoa(`admin:${adminPassword}`)}`

async function post(
  pds: string,
  method: string,
  authorization: string,
  input?: object,
): Promise<unknown> {
  const response = await fetch(`${pds}/xrpc/${method}`, {
    method: 'POST',
    headers: { authorization, ...(input && { 'content-type': 'application/json' }) },
    ...(input && { body: JSON.stringify(input) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}
