import { derivePublicJwk, type PublicJwk } from '@atcute/oauth-crypto'
import {
  type ClientAssertionPrivateJwk,
  generateClientAssertionKey,
  type StoredSession,
} from '@atcute/oauth-node-client'
import type { WithLease } from '#concurrency/with-lease.ts'
import { type SealedRows, type SealedStore, sealedStore } from './oauth-rows.ts'
import type { Seal } from './seal.ts'

export const clientKeyKind = 'oauth-client-key'

const dayMs = 24 * 60 * 60 * 1000
/** A key is replaced after so long. */
export const clientKeyMs = 90 * dayMs
/**
 * A new key is shown to account servers for so long before it signs: until then they may know only what
 * they read before (the reference server keeps a client's keys for ten minutes).
 */
export const announcedMs = 60 * 60 * 1000
/** A replaced key is kept at least so long: for sign-ins under way, and processes that have not heard. */
const replacedMs = dayMs
/** Another process's new key is known here after so long, well before it signs. */
const freshMs = 30_000
/** At one a quarter, and a session's life of two years, there are nine. */
export const clientKeysMax = 100

export interface ClientKey {
  readonly jwk: ClientAssertionPrivateJwk
  readonly createdAt: number
}

/** As many keys as may be kept are kept. */
export class ClientKeysFullError extends Error {
  override readonly name = 'ClientKeysFullError'
}

interface ClientKeysOptions {
  readonly rows: SealedRows
  readonly seal: Seal
  readonly withLease: WithLease
  readonly now?: () => number
}

/**
 * The keys by which this service shows account servers that it is itself. A session belongs to the key it
 * began with for as long as it lives, so old keys stay. Rows of a database that several processes share
 * are all there is to agree on: whoever makes a key adds a row, and the times say which one signs.
 */
export class ClientKeys {
  readonly #store: SealedStore<string, ClientKey>
  readonly #sessions: SealedStore<string, StoredSession>
  readonly #withLease: WithLease
  readonly #now: () => number
  #known: { readonly keys: readonly ClientKey[]; readonly readAt: number } | null = null

  constructor({ rows, seal, withLease, now = Date.now }: ClientKeysOptions) {
    this.#store = sealedStore<string, ClientKey>(rows, seal, clientKeyKind)
    this.#sessions = sealedStore<string, StoredSession>(rows, seal, 'oauth-session')
    this.#withLease = withLease
    this.#now = now
  }

  /** The one that new sign-ins use first, then the others, newest first. At least one: it is made. */
  async inUse(): Promise<readonly [ClientKey, ...ClientKey[]]> {
    let keys = await this.all()
    if (keys.length === 0) {
      await this.#addUnless((there) => there.length > 0)
      keys = await this.all()
    }
    const signing = signingOf(keys, this.#now())
    if (signing === undefined) throw new TypeError('a key that was just made is missing')
    return [signing, ...keys.filter((key) => key !== signing)]
  }

  /** Newest first, as of half a minute ago or later; none before the first is needed. */
  async all(): Promise<readonly ClientKey[]> {
    const known = this.#known
    // Negative where the clock was put right meanwhile.
    const ageMs = known === null ? freshMs : Math.abs(this.#now() - known.readAt)
    if (known && known.keys.length > 0 && ageMs < freshMs) return known.keys
    return await this.#read()
  }

  /** Whether there is this key, however young. */
  async has(kid: string): Promise<boolean> {
    const isIt = ({ jwk }: ClientKey) => jwk.kid === kid
    return (await this.all()).some(isIt) || (await this.#read()).some(isIt)
  }

  /** For account servers, in the order of `inUse`; what another process has added is there at once. */
  async publicKeys(): Promise<PublicJwk[]> {
    await this.#read()
    return (await this.inUse()).map(({ jwk }) => derivePublicJwk(jwk, jwk.kid, jwk.alg))
  }

  /** Makes a new key, which signs an hour from now. Throws ClientKeysFullError. */
  async rotate(): Promise<void> {
    await this.#addUnless(() => false)
  }

  /** Makes a new key when the newest is old, and drops those that no session can need any more. */
  async keep(): Promise<void> {
    const [newest] = await this.#read()
    if (newest === undefined) return
    const isYoung = (key: ClientKey | undefined) =>
      key !== undefined && this.#now() - key.createdAt < clientKeyMs
    if (!isYoung(newest)) await this.#addUnless(([first]) => isYoung(first))
    await this.#dropUnneeded()
  }

  /** Seals all with the newest secret, so that older ones can go. */
  async sealAnew(): Promise<void> {
    for await (const [kid, key] of this.#store.entries()) await this.#store.set(kid, key)
  }

  /** The ids of the keys that stored sessions belong to. */
  async neededIds(): Promise<Set<string>> {
    const ids = new Set<string>()
    for await (const [, { authMethod }] of this.#sessions.entries()) {
      if (authMethod.method === 'private_key_jwt') ids.add(authMethod.kid)
    }
    return ids
  }

  async #dropUnneeded(): Promise<void> {
    const keys = await this.#read()
    const replaced = replacedOf(keys, this.#now() - replacedMs)
    if (replaced.length === 0) return
    const needed = await this.neededIds()
    for (const { jwk } of replaced) {
      if (!needed.has(jwk.kid)) await this.#store.delete(jwk.kid)
    }
    await this.#read()
  }

  async #addUnless(isDone: (keys: readonly ClientKey[]) => boolean): Promise<void> {
    await this.#withLease('oauth client keys', async () => {
      const keys = await this.#read()
      if (isDone(keys)) return
      if (keys.length >= clientKeysMax) {
        throw new ClientKeysFullError(`there are ${keys.length} client keys that sessions need`)
      }
      const jwk = await generateClientAssertionKey(crypto.randomUUID())
      await this.#store.set(jwk.kid, { jwk, createdAt: this.#now() })
    })
    await this.#read()
  }

  async #read(): Promise<readonly ClientKey[]> {
    const readAt = this.#now()
    const keys: ClientKey[] = []
    for await (const [, key] of this.#store.entries()) keys.push(key)
    keys.sort((a, b) => b.createdAt - a.createdAt || (a.jwk.kid < b.jwk.kid ? -1 : 1))
    this.#known = { keys, readAt }
    return keys
  }
}

/** The newest of those that account servers have had the time to read; else the one they know longest. */
export function signingOf(keys: readonly ClientKey[], now: number): ClientKey | undefined {
  return keys.find(({ createdAt }) => createdAt <= now - announcedMs) ?? keys.at(-1)
}

/** Those behind the one that signed already at that time: nobody has begun anything with them since. */
function replacedOf(keys: readonly ClientKey[], at: number): readonly ClientKey[] {
  const signedThen = keys.findIndex(({ createdAt }) => createdAt <= at - announcedMs)
  return signedThen < 0 ? [] : keys.slice(signedThen + 1)
}
