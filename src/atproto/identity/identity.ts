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

/** Who an account is right now: where its repository lives and which key signs its commits. */
export interface Identity {
  readonly did: Did
  /** What its document says, which anybody may say: `verifiedHandle` asks where it leads. */
  readonly claimedHandle: string | null
  /** Origin of the account's server, without a trailing slash. */
  readonly pds: string
  readonly signingKey: PublicKey
}

/** The DID document is missing, unreachable, or does not say what an account's document must say. */
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
  /** How handles are looked up in the DNS; without it, only at their hosts. */
  readonly lookUpTxt?: LookUpTxt
  /** Asks this server instead of DNS and /.well-known: handles of a development network. */
  readonly handleResolverUrl?: string | undefined
  /** Development only: servers reached by plain http and at ports. */
  readonly allowHttp?: boolean
  readonly now?: () => number
}

interface ResolveOptions {
  readonly fresh?: boolean
  readonly signal?: AbortSignal
}

/** At an account's document, as long as it is under way. */
interface Look {
  readonly did: Did
  /** Something newer is known of the account: what comes of this look is not remembered. */
  isOutdated: boolean
}

const cachedIdentitiesMax = 10_000
const identityFreshMs = 10 * 60 * 1000

/** Resolves accounts through the PLC directory and did:web, remembering each answer for ten minutes. */
export class Identities {
  /** What the OAuth client resolves accounts with: the same rules, the same way out. */
  readonly actorResolver: ActorResolver
  readonly #documents: CompositeDidDocumentResolver<'plc' | 'web'>
  readonly #handles: HandleResolver
  readonly #cache: TtlMap<Did, Identity>
  /** In the order in which they began. */
  readonly #looks = new Set<Look>()
  readonly #allowHttp: boolean

  constructor(options: IdentitiesOptions) {
    // The library parses whatever comes.
    const fetch = (async (input: string | URL | Request, init?: RequestInit) => {
      const limits = { responseBytesMax: smallAnswer.bytesMax }
      return await boundedJson(await options.fetch(input, { ...init, limits }), smallAnswer)
    }) as typeof globalThis.fetch
    this.#allowHttp = options.allowHttp ?? false
    const { now = () => performance.now() } = options
    this.#cache = new TtlMap({ max: cachedIdentitiesMax, ttlMs: identityFreshMs, now })
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

  /**
   * `fresh` asks again: after a signature failed, or when the account announced a change. What is remembered is never older
   * than the last `forget`, nor than what a later look has found.
   */
  async resolve(did: Did, { fresh = false, signal }: ResolveOptions = {}): Promise<Identity> {
    const cached = this.#cache.get(did)
    if (!fresh && cached !== undefined) return cached
    const look = { did, isOutdated: false }
    this.#looks.add(look)
    try {
      const identity = await this.#read(did, signal)
      if (!look.isOutdated) {
        this.#cache.set(did, identity)
        this.#outdate(did, look)
      }
      return identity
    } finally {
      this.#looks.delete(look)
    }
  }

  /** The DID that a handle leads to, whatever the account says; null: to none. Throws when nobody could be asked. */
  async didOfHandle(handle: string, signal: AbortSignal): Promise<Did | null> {
    if (!isHandle(handle)) return null
    try {
      return parseDid(await this.#handles.resolve(handle, { signal }))
    } catch (error) {
      signal.throwIfAborted()
      if (saysNone(error)) return null
      throw error
    }
  }

  /**
   * The account's handle, which counts only if it leads back to the DID (atproto handle specification). Null: none, or it
   * leads elsewhere. Undefined: not known, it could not be looked up. Its host may take as long as it likes.
   */
  async verifiedHandle(
    { did, claimedHandle }: Identity,
    signal?: AbortSignal,
  ): Promise<string | null | undefined> {
    if (claimedHandle === null || !isHandle(claimedHandle)) return null
    try {
      const resolved = await this.#handles.resolve(claimedHandle, { ...(signal && { signal }) })
      return resolved === did ? claimedHandle : null
    } catch (error) {
      signal?.throwIfAborted()
      return saysNone(error) ? null : undefined
    }
  }

  /** What is known of the account may be out of date: the next `resolve` asks again. */
  forget(did: Did): void {
    this.#cache.delete(did)
    this.#outdate(did)
  }

  /** All looks at the account, or those that began before this one. */
  #outdate(did: Did, before?: Look): void {
    for (const look of this.#looks) {
      if (look === before) return
      if (look.did === did) look.isOutdated = true
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
      signingKey: await signingKeyOf(did, document),
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

const saysNone = (error: unknown): boolean =>
  error instanceof HandleResolutionError && !(error instanceof FailedHandleResolutionError)

/** A bare https origin: path, query, credentials and, outside development, ports and http are refused. */
function originOf(endpoint: string | undefined, allowHttp: boolean): string | null {
  if (!endpoint || !URL.canParse(endpoint)) return null
  const url = new URL(endpoint)
  const isBare = url.href === `${url.origin}/` && !endpoint.includes('@')
  const isHttps = url.protocol === 'https:' && url.port === ''
  return isBare && (isHttps || (allowHttp && url.protocol === 'http:')) ? url.origin : null
}

async function signingKeyOf(did: Did, document: DidDocument): Promise<PublicKey> {
  const material = getAtprotoVerificationMaterial(document)
  if (!material) throw new IdentityError(did, 'no signing key in the DID document')
  try {
    const found = getPublicKeyFromDidController(material)
    return await (found.type === 'p256' ? P256PublicKey : Secp256k1PublicKey).importRaw(
      found.publicKeyBytes,
    )
  } catch (cause) {
    throw new IdentityError(did, 'unreadable signing key', { cause })
  }
}
