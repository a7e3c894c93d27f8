import {
  getPublicKeyFromDidController,
  P256PublicKey,
  type PublicKey,
  Secp256k1PublicKey,
} from '@atcute/crypto'
import {
  type DidDocument,
  getAtprotoHandle,
  getAtprotoVerificationMaterial,
  getPdsEndpoint,
} from '@atcute/identity'
import type { ActorResolver } from '@atcute/identity-resolver'
import {
  AtprotoWebDidDocumentResolver,
  CompositeDidDocumentResolver,
  FailedHandleResolutionError,
  HandleResolutionError,
  type HandleResolver,
  LocalActorResolver,
  PlcDidDocumentResolver,
  WellKnownHandleResolver,
  XrpcHandleResolver,
} from '@atcute/identity-resolver'
import { type Did, isHandle } from '@atcute/lexicons/syntax'
import { TtlMap } from '#concurrency/lru-map.ts'
import { smallAnswer } from '#outbound/answer-body.ts'
import { boundedJson } from '#outbound/json-scan.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { parseDid } from '#site/site-address.ts'
import { DnsHandleResolver, type LookUpTxt } from './dns-handle-resolver.ts'
import { EitherHandleResolver } from './either-handle-resolver.ts'

/** An account's current server and signing key. */
export interface Identity {
  readonly did: Did
  /** From the DID document, unverified; see `verifiedHandle`. */
  readonly claimedHandle: string | null
  /** Origin of the account's server, without a trailing slash. */
  readonly pds: string
  readonly signingKey: PublicKey
  /** The signing key as a string, equal for equal keys. */
  readonly signingMultikey: string
}

/** The DID document is missing, unreachable, or lacks what an account's document must have. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError'
  readonly did: string

  constructor(did: string, reason: string, options?: ErrorOptions) {
    super(`cannot resolve identity; did=${did} reason=${reason}`, options)
    this.did = did
  }
}

interface IdentitiesOptions {
  readonly fetch: SafeFetch
  readonly plcUrl: string
  /** Looks handles up in the DNS; without it, only at their hosts. */
  readonly lookUpTxt?: LookUpTxt
  /** Resolves handles at this server instead of DNS and /.well-known, for a development network. */
  readonly handleResolverUrl?: string | undefined
  /** Development only: servers over plain http and with ports. */
  readonly allowHttp?: boolean
  readonly now?: () => number
}

interface ResolveOptions {
  readonly fresh?: boolean
  readonly signal?: AbortSignal
}

interface Resolution {
  readonly did: Did
  /** Newer information exists: the result is not cached. */
  isOutdated: boolean
}

/** What is known of accounts, by whatever way it was learned. */
interface Known {
  readonly cache: TtlMap<Did, Identity>
  /** In starting order. */
  readonly resolutions: Set<Resolution>
}

const cachedIdentitiesMax = 10_000
const identityFreshMs = 10 * 60 * 1000

/** Resolves accounts through the PLC directory and did:web; caches each identity for ten minutes. */
export class Identities {
  /** For the OAuth client: the same rules and the same fetch. */
  readonly actorResolver: ActorResolver
  readonly #documents: CompositeDidDocumentResolver<'plc' | 'web'>
  readonly #handles: HandleResolver
  readonly #cache: TtlMap<Did, Identity>
  readonly #resolutions: Set<Resolution>
  readonly #options: IdentitiesOptions
  readonly #allowHttp: boolean

  constructor(options: IdentitiesOptions, known: Known = nothingKnown(options)) {
    this.#options = options
    this.#cache = known.cache
    this.#resolutions = known.resolutions
    // The library parses any response.
    const fetch = (async (input: string | URL | Request, init?: RequestInit) => {
      const limits = { responseBytesMax: smallAnswer.bytesMax }
      return await boundedJson(await options.fetch(input, { ...init, limits }), smallAnswer)
    }) as typeof globalThis.fetch
    this.#allowHttp = options.allowHttp ?? false
    this.#documents = new CompositeDidDocumentResolver({
      methods: {
        plc: new PlcDidDocumentResolver({ apiUrl: options.plcUrl, fetch }),
        web: new AtprotoWebDidDocumentResolver({ fetch }),
      },
    })
    const wellKnown = new WellKnownHandleResolver({ fetch })
    if (options.handleResolverUrl) {
      this.#handles = new XrpcHandleResolver({ serviceUrl: options.handleResolverUrl, fetch })
    } else if (options.lookUpTxt) {
      const dns = new DnsHandleResolver(options.lookUpTxt)
      this.#handles = new EitherHandleResolver([dns, wellKnown])
    } else this.#handles = wellKnown
    this.actorResolver = new LocalActorResolver({
      handleResolver: this.#handles,
      didDocumentResolver: this.#documents,
    })
  }

  /** The same cache; what is not in it is asked for by these ways, which have semaphores of their own. */
  by(ways: Pick<IdentitiesOptions, 'fetch' | 'lookUpTxt'>): Identities {
    const known = { cache: this.#cache, resolutions: this.#resolutions }
    return new Identities({ ...this.#options, ...ways }, known)
  }

  /**
   * `fresh` skips the cache: after a failed signature, or when the account announced a change. The cache never holds a
   * result older than the last `forget` or than that of a resolution that began later.
   */
  async resolve(did: Did, { fresh = false, signal }: ResolveOptions = {}): Promise<Identity> {
    const cached = this.#cache.get(did)
    if (!fresh && cached !== undefined) return cached
    const resolution = { did, isOutdated: false }
    this.#resolutions.add(resolution)
    try {
      const identity = await this.#read(did, signal)
      if (!resolution.isOutdated) {
        this.#cache.set(did, identity)
        this.#outdate(did, resolution)
      }
      return identity
    } finally {
      this.#resolutions.delete(resolution)
    }
  }

  /** The DID of a handle, whatever the account claims; null: none. Throws when the look-up failed. */
  async didOfHandle(handle: string, signal?: AbortSignal): Promise<Did | null> {
    if (!isHandle(handle)) return null
    try {
      return parseDid(await this.#handles.resolve(handle, { ...(signal && { signal }) }))
    } catch (error) {
      signal?.throwIfAborted()
      if (saysNone(error)) return null
      throw error
    }
  }

  /**
   * The account's handle if it resolves back to the DID (atproto handle specification). Null: none, or it resolves to
   * another. Undefined: the look-up failed. The handle's host may be slow: bound the time with `signal`.
   */
  async verifiedHandle(
    { did, claimedHandle }: Identity,
    signal?: AbortSignal,
  ): Promise<string | null | undefined> {
    if (claimedHandle === null) return null
    try {
      return (await this.didOfHandle(claimedHandle, signal)) === did ? claimedHandle : null
    } catch {
      signal?.throwIfAborted()
      return undefined
    }
  }

  /** Drops the cached identity and marks pending resolutions as outdated. */
  forget(did: Did): void {
    this.#cache.delete(did)
    this.#outdate(did)
  }

  /** As `forget`, for the accounts of which this is true. */
  forgetWhere(isMeant: (did: Did) => boolean): void {
    for (const did of this.#cache.keys()) if (isMeant(did)) this.#cache.delete(did)
    for (const resolution of this.#resolutions) {
      if (isMeant(resolution.did)) resolution.isOutdated = true
    }
  }

  /** As `forget`, for all accounts. */
  forgetAll(): void {
    this.#cache.clear()
    for (const resolution of this.#resolutions) resolution.isOutdated = true
  }

  /** Marks all resolutions of the account, or those that began before this one, as outdated. */
  #outdate(did: Did, before?: Resolution): void {
    for (const resolution of this.#resolutions) {
      if (resolution === before) return
      if (resolution.did === did) resolution.isOutdated = true
    }
  }

  async #read(did: Did, signal: AbortSignal | undefined): Promise<Identity> {
    const document = await this.#document(did, signal)
    const pds = originOf(getPdsEndpoint(document), this.#allowHttp)
    if (pds === null) throw new IdentityError(did, 'no usable server in the DID document')
    return {
      did,
      claimedHandle: getAtprotoHandle(document) ?? null,
      pds,
      ...(await signingKeyOf(did, document)),
    }
  }

  async #document(did: Did, signal: AbortSignal | undefined): Promise<DidDocument> {
    if (parseDid(did) === null) throw new IdentityError(did, 'not a DID that accounts have')
    let document: DidDocument
    try {
      const options = { noCache: true, ...(signal && { signal }) }
      document = await this.#documents.resolve(did as Did<'plc'>, options)
    } catch (cause) {
      throw new IdentityError(did, 'no DID document', { cause })
    }
    if (document.id !== did) throw new IdentityError(did, `document of ${document.id}`)
    return document
  }
}

const nothingKnown = ({ now = () => performance.now() }: IdentitiesOptions): Known => ({
  cache: new TtlMap({ max: cachedIdentitiesMax, ttlMs: identityFreshMs, now }),
  resolutions: new Set(),
})

const saysNone = (error: unknown): boolean =>
  error instanceof HandleResolutionError && !(error instanceof FailedHandleResolutionError)

/** A bare https origin: no path, query or credentials; ports and http only in development. */
function originOf(endpoint: string | undefined, allowHttp: boolean): string | null {
  if (!endpoint || !URL.canParse(endpoint)) return null
  const url = new URL(endpoint)
  const isBare = url.href === `${url.origin}/` && !endpoint.includes('@')
  const isHttps = url.protocol === 'https:' && url.port === ''
  return isBare && (isHttps || (allowHttp && url.protocol === 'http:')) ? url.origin : null
}

async function signingKeyOf(
  did: Did,
  document: DidDocument,
): Promise<Pick<Identity, 'signingKey' | 'signingMultikey'>> {
  const material = getAtprotoVerificationMaterial(document)
  if (!material) throw new IdentityError(did, 'no signing key in the DID document')
  try {
    const found = getPublicKeyFromDidController(material)
    const publicKey = found.type === 'p256' ? P256PublicKey : Secp256k1PublicKey
    const signingKey = await publicKey.importRaw(found.publicKeyBytes)
    // Kept with the identity: ingest compares the key twice per version, and WebCrypto exports slowly.
    return { signingKey, signingMultikey: await signingKey.exportPublicKey('multikey') }
  } catch (cause) {
    throw new IdentityError(did, 'unreadable signing key', { cause })
  }
}
