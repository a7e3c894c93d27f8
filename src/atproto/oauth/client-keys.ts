import { derivePublicJwk } from '@atcute/oauth-crypto'
import {
  type ClientAssertionPrivateJwk,
  generateClientAssertionKey,
  type StoredSession,
} from '@atcute/oauth-node-client'
import { type SealedRows, type SealedStore, sealedStore } from './oauth-rows.ts'
import type { Seal } from './seal.ts'

/**
 * Runs `work` while no other caller, in any process of this service, runs work of that name: a mutex across processes.
 * Throws what `work` throws, and when another caller holds the lease for too long.
 */
export type WithLease = <T>(name: string, work: () => Promise<T>) => Promise<T>

export const clientKeyKind = 'oauth-client-key'

const dayMs = 24 * 60 * 60 * 1000
/** The age at which a key is replaced. */
export const clientKeyMs = 90 * dayMs
/** How long a new key is published before it signs: the reference server caches a client's keys for ten minutes. */
export const announcedMs = 60 * 60 * 1000
/** How long a replaced key is kept at least, for pending sign-ins and other processes. */
const replacedMs = dayMs
/** How long keys are cached: another process's new key is known here well before it signs. */
const freshMs = 30_000
/** One per quarter and sessions of at most two years make nine. */
export const clientKeysMax = 100

export interface ClientKey {
  readonly jwk: ClientAssertionPrivateJwk
  readonly createdAt: number
}

/** A public JSON Web Key (RFC 7517 §4). */
export interface PublicKey {
  readonly kid: string
  readonly kty: string
  readonly [other: string]: unknown
}

/** There are already `clientKeysMax` keys. */
export class ClientKeysFullError extends Error {
  override readonly name = 'ClientKeysFullError'
}

interface ClientKeysOptions {
  readonly rows: SealedRows
  readonly seal: Seal
  readonly withLease: WithLease
  readonly now?: () => number
  readonly keysMax?: number
}

/**
 * The keys that authenticate this service to account servers. A session stays bound to the key it began with, so
 * old keys are kept. Processes agree through shared database rows: a new key is a new row, and `createdAt` determines
 * which one signs.
 */
export class ClientKeys {
  readonly #store: SealedStore<string, ClientKey>
  readonly #sessions: SealedStore<string, StoredSession>
  readonly #withLease: WithLease
  readonly #now: () => number
  readonly #keysMax: number
  #known: { readonly keys: readonly ClientKey[]; readonly readAt: number } | null = null

  constructor({
    rows,
    seal,
    withLease,
    now = Date.now,
    keysMax = clientKeysMax,
  }: ClientKeysOptions) {
    this.#store = sealedStore<string, ClientKey>(rows, seal, clientKeyKind)
    this.#sessions = sealedStore<string, StoredSession>(rows, seal, 'oauth-session')
    this.#withLease = withLease
    this.#now = now
    this.#keysMax = keysMax
  }

  /** The signing key of new sign-ins, then the others, newest first. Creates the first one. */
  async inUse(): Promise<readonly [ClientKey, ...ClientKey[]]> {
    let keys = await this.all()
    if (keys.length === 0) {
      await this.#addUnless((there) => there.length > 0)
      keys = await this.all()
    }
    const signing = signingOf(keys, this.#now())
    if (signing === undefined) throw new TypeError('the new client key is missing')
    return [signing, ...keys.filter((key) => key !== signing)]
  }

  /** Newest first, at most 30 s old; empty before the first use. */
  async all(): Promise<readonly ClientKey[]> {
    const known = this.#known
    // Negative if the clock was set back.
    const ageMs = known === null ? freshMs : Math.abs(this.#now() - known.readAt)
    if (known && known.keys.length > 0 && ageMs < freshMs) return known.keys
    return await this.#read()
  }

  /** Reads the rows again before it returns false. */
  async has(kid: string): Promise<boolean> {
    const isIt = ({ jwk }: ClientKey) => jwk.kid === kid
    return (await this.all()).some(isIt) || (await this.#read()).some(isIt)
  }

  /** For account servers, in the order of `inUse`, never cached. */
  async publicKeys(): Promise<PublicKey[]> {
    await this.#read()
    return (await this.inUse()).map(({ jwk }) => {
      return { ...derivePublicJwk(jwk, jwk.kid, jwk.alg), kid: jwk.kid }
    })
  }

  /** Creates a key that signs in an hour. Throws ClientKeysFullError. */
  async rotate(): Promise<void> {
    await this.#addUnless(() => false)
  }

  /** Creates a key when the newest is old, and deletes keys that no session needs. */
  async keep(): Promise<void> {
    const [newest] = await this.#read()
    if (newest === undefined) return
    const isYoung = (key: ClientKey | undefined) =>
      key !== undefined && this.#now() - key.createdAt < clientKeyMs
    if (!isYoung(newest)) await this.#addUnless(([first]) => isYoung(first))
    await this.#dropUnneeded()
  }

  /** Seals all rows with the newest secret, so that older ones can be removed. */
  async sealAnew(): Promise<void> {
    for await (const [kid, key] of this.#store.entries()) await this.#store.set(kid, key)
  }

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
      if (keys.length >= this.#keysMax) {
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

/** The newest key that account servers have had time to read; else the oldest. */
export function signingOf(keys: readonly ClientKey[], now: number): ClientKey | undefined {
  return keys.find(({ createdAt }) => createdAt <= now - announcedMs) ?? keys.at(-1)
}

/** The keys older than the one that signed at that time: no session has begun with them since. */
function replacedOf(keys: readonly ClientKey[], at: number): readonly ClientKey[] {
  const signedThen = keys.findIndex(({ createdAt }) => createdAt <= at - announcedMs)
  return signedThen < 0 ? [] : keys.slice(signedThen + 1)
}
