import {
  MemoryStore,
  OAuthClient,
  type OAuthClientStores,
  type SessionStore,
  type StateStore,
} from '@atcute/oauth-node-client'
import { smallAnswer } from '#outbound/answer-body.ts'
import { boundedJson } from '#outbound/json-scan.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { Instance } from '#site/instance.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { ClientKeys } from './client-keys.ts'
import type { OAuthPool } from './oauth-pools.ts'

export const scopes = [
  'atproto',
  `repo:${ownNamespace.fs}`,
  `repo:${ownNamespace.subfs}`,
  `repo:${ownNamespace.settings}`,
  `repo:${ownNamespace.version}`,
  'blob:*/*',
] as const

/** Publishing works without them. */
export const optionalScopes: readonly string[] = [`repo:${ownNamespace.version}`]

/** Where account servers read our client metadata (decisions.md §1). */
export const clientMetadataPath = '/oauth-client-metadata.json'
export const jwksPath = '/jwks.json'
export const callbackPath = '/api/auth/callback'

export interface ClientOptions {
  /** Of `BASE_URL`: https at a public name, or http at a loopback address. */
  readonly origin: string
  /** What account servers show to people who sign in; left out: only our name. */
  readonly shown?: Pick<Instance, 'name' | 'logoPath' | 'termsUrl' | 'privacyUrl'>
  /** Asked for in addition to those that publishing needs; a server may not grant them. */
  readonly moreScopes?: readonly string[]
  /** Null for a loopback address, where a client has no keys. */
  readonly keys: ClientKeys | null
  /** Development only: account servers over plain http. */
  readonly allowHttp?: boolean
}

/** OAuth Client ID Metadata Document; the fields that are always present. */
export interface ClientDocument {
  readonly client_id: string
  readonly redirect_uris: readonly string[]
  readonly scope: string
  readonly token_endpoint_auth_method: 'none' | 'private_key_jwt'
  readonly [other: string]: unknown
}

export interface Clients {
  readonly nonces: NonNullable<OAuthClientStores['dpopNonces']>
  /** Opens the library's client with the current keys and these stores, for requests of this pool. */
  open(sessions: SessionStore, states: StateStore, pool: OAuthPool): Promise<OAuthClient>
}

const cachedServersMax = 100
const cachedMs = 60_000

export function createClients(options: ClientOptions): Clients {
  const cache = { maxSize: cachedServersMax, ttl: cachedMs, ttlAutopurge: true }
  const shared = {
    dpopNonces: new MemoryStore<string, string>(cache),
    asMetadata: new MemoryStore(cache),
    prMetadata: new MemoryStore(cache),
  } as Required<Pick<OAuthClientStores, 'dpopNonces' | 'asMetadata' | 'prMetadata'>>
  const { keys } = options

  return {
    nonces: shared.dpopNonces,
    async open(sessions, states, pool) {
      const stores = { ...shared, sessions, states }
      const common = { actorResolver: pool.actorResolver, fetch: limited(pool.fetch) }
      const client =
        keys === null
          ? new OAuthClient({ ...common, stores, metadata: loopbackMetadata(options) })
          : new OAuthClient({
              ...common,
              stores,
              metadata: publicMetadata(options),
              // The first key signs new sign-ins.
              keyset: (await keys.inUse()).map(({ jwk }) => jwk),
            })
      if (options.allowHttp) allowHttpServers(client)
      return client
    },
  }
}

// The library parses any response, errors too, and anybody may name a server.
const limited = (fetch: SafeFetch): typeof globalThis.fetch => {
  const limits = { responseBytesMax: smallAnswer.bytesMax }
  const bounded: SafeFetch = async (input, init) =>
    await boundedJson(await fetch(input, { ...init, limits }), smallAnswer)
  return bounded as typeof globalThis.fetch
}

const loopbackMetadata = ({
  moreScopes = [],
  origin,
}: Pick<ClientOptions, 'moreScopes' | 'origin'>) => ({
  redirect_uris: [`${origin}${callbackPath}`],
  scope: [...scopes, ...moreScopes],
})

const publicMetadata = ({ origin, shown }: Pick<ClientOptions, 'origin' | 'shown'>) => ({
  ...loopbackMetadata({ origin }),
  client_id: `${origin}${clientMetadataPath}`,
  jwks_uri: `${origin}${jwksPath}`,
  client_name: shown?.name ?? 'Sitehost',
  client_uri: `${origin}/`,
  ...(shown?.logoPath && { logo_uri: `${origin}${shown.logoPath}` }),
  ...(shown?.termsUrl && { tos_uri: shown.termsUrl }),
  ...(shown?.privacyUrl && { policy_uri: shown.privacyUrl }),
})

// The library keeps these switches private and has no option for them (2.0.1, pinned; devnet tests it).
function allowHttpServers(client: OAuthClient): void {
  const { resolver } = client as unknown as {
    resolver: Record<
      'protectedResourceResolver' | 'authorizationServerResolver',
      { allowHttp: boolean }
    >
  }
  resolver.protectedResourceResolver.allowHttp = true
  resolver.authorizationServerResolver.allowHttp = true
}
