import { createOAuth, type OAuth, sessionKind } from '#atproto/oauth/oauth.ts'
import type { SealedRows } from '#atproto/oauth/oauth-rows.ts'
import type { Seal } from '#atproto/oauth/seal.ts'
import type { CommandContext } from '#cli/command-context.ts'
import type { Log } from '#observe/log.ts'
import { manageMethod } from '#site/service-token.ts'
import { parseDid } from '#site/site-address.ts'

type SignInContext = Pick<
  CommandContext,
  'accounts' | 'allowHttp' | 'fetch' | 'identities' | 'signal'
>

/** Sign-in by a browser on this machine: the service's, on the file of saved accounts. `origin` is a loopback address. */
export function openSignIns(origin: string, context: SignInContext): OAuth {
  const { accounts, allowHttp, fetch, identities, signal } = context
  return createOAuth({
    origin,
    allowHttp,
    moreScopes: [`rpc:${manageMethod}?aud=*`],
    fetch,
    identities,
    keys: null,
    log: silent,
    rows: rowsOf(origin, context),
    seal: openly,
    withLease: (_, work) => accounts.withLock(work, signal),
  })
}

/** Sessions are rows of the file, what a sign-in begins with stays in memory. */
function rowsOf(origin: string, { accounts }: SignInContext): SealedRows {
  const others = new Map<string, string>()
  const idOf = (kind: string, key: string) => `${kind} ${key}`
  const rows: SealedRows = {
    async get(kind, key) {
      if (kind !== sessionKind) return others.get(idOf(kind, key)) ?? null
      const found = await accounts.find(key)
      return found === undefined ? null : JSON.stringify(found.session)
    },
    async put(kind, key, text) {
      if (kind !== sessionKind) {
        others.set(idOf(kind, key), text)
        return
      }
      const did = parseDid(key)
      if (did === null) throw new TypeError(`not an account: ${key}`)
      const session: unknown = JSON.parse(text)
      const known = (await accounts.find(did)) ?? { did, handle: null, server: '' }
      await accounts.keep({ ...known, origin, session })
    },
    async delete(kind, key) {
      const did = parseDid(key)
      if (kind !== sessionKind) others.delete(idOf(kind, key))
      else if (did !== null) await accounts.remove(did)
    },
    // The lock of the file is the lease, and ends with its process.
    async swap(kind, key, seen, sealed) {
      if ((await rows.get(kind, key)) !== seen) return false
      await (sealed === null ? rows.delete(kind, key) : rows.put(kind, key, sealed, null))
      return true
    },
    async *pages() {},
  }
  return rows
}

/** The file's mode is what protects it: a key in the same folder would protect nothing. */
const openly: Seal = { seal: async (plain) => plain, open: async (sealed) => sealed }

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
