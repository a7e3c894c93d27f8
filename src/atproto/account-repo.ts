import type {} from '@atcute/atproto'
import { Client, type ClientResponse } from '@atcute/client'
import type { Did } from '@atcute/lexicons/syntax'
import type { OAuthSession } from '@atcute/oauth-node-client'
import { SessionEndedError } from './oauth.ts'

/** A blob as records name it. */
export interface BlobRef {
  readonly $type: 'blob'
  readonly ref: { readonly $link: string }
  readonly mimeType: string
  readonly size: number
}

/** The account's server answered, and not with what was asked for. */
export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError'
  readonly method: string
  readonly status: number
  /** The server's XRPC error name, e.g. `InvalidSwap`. */
  readonly code: string
  readonly reason: string

  constructor(method: string, status: number, data: { error: string; message?: string }) {
    super(`server refused; method=${method} status=${status} error=${data.error}`)
    this.method = method
    this.status = status
    this.code = data.error
    this.reason = data.message ?? data.error
  }
}

/** The account's server gave no answer. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError'

  constructor(method: string, options?: ErrorOptions) {
    super(`server unreachable; method=${method}`, options)
  }
}

/**
 * One account's repository, written with its owner's permission. Every call throws SessionEndedError,
 * ServerRefusedError or ServerUnreachableError.
 */
export class AccountRepo {
  readonly did: Did
  readonly #rpc: Client

  constructor(session: OAuthSession) {
    this.did = session.did
    this.#rpc = new Client({ handler: session })
  }

  /** Bytes of the largest blob that the server takes; null where it does not say. */
  async blobUploadBytesMax(): Promise<number | null> {
    const data = await this.#call('com.atproto.server.describeServer', () =>
      this.#rpc.get('com.atproto.server.describeServer', {}),
    )
    return data.blobUploadLimit ?? null
  }

  /**
   * Stores bytes until a record names them. The reference must be repeated in the record exactly as it
   * is returned: servers that sniff change its media type. A file-backed `blob` is streamed.
   */
  async uploadBlob(blob: Blob): Promise<BlobRef> {
    const data = await this.#call('com.atproto.repo.uploadBlob', () =>
      this.#rpc.post('com.atproto.repo.uploadBlob', {
        input: blob,
        headers: {
          'content-type': 'application/octet-stream',
          // The deadline of the request is derived from this (safe-fetch).
          'content-length': String(blob.size),
        },
      }),
    )
    return data.blob as BlobRef
  }

  async putRecord(
    collection: `${string}.${string}.${string}`,
    rkey: string,
    record: Record<string, unknown>,
  ): Promise<{ uri: string; cid: string }> {
    return await this.#call('com.atproto.repo.putRecord', () =>
      this.#rpc.post('com.atproto.repo.putRecord', {
        input: { repo: this.did, collection, rkey, record },
      }),
    )
  }

  /** The keys of a collection's records, at most `keysMax`, read by pages of 100. */
  async listRecordKeys(
    collection: `${string}.${string}.${string}`,
    keysMax: number,
  ): Promise<string[]> {
    const keys: string[] = []
    let cursor: string | undefined
    do {
      const page = await this.#call('com.atproto.repo.listRecords', () =>
        this.#rpc.get('com.atproto.repo.listRecords', {
          params: { repo: this.did, collection, limit: 100, ...(cursor ? { cursor } : {}) },
        }),
      )
      keys.push(...page.records.map((record) => record.uri.slice(record.uri.lastIndexOf('/') + 1)))
      cursor = page.records.length > 0 ? page.cursor : undefined
    } while (cursor && keys.length < keysMax)
    return keys.slice(0, keysMax)
  }

  async #call<T>(
    method: string,
    request: () => Promise<{ ok: true; data: T } | Failed>,
  ): Promise<T> {
    let response: { ok: true; data: T } | Failed
    try {
      response = await request()
    } catch (cause) {
      if (isSessionEnd(cause)) throw new SessionEndedError(this.did, { cause })
      throw new ServerUnreachableError(method, { cause })
    }
    if (response.ok) return response.data
    if (response.status === 401) throw new SessionEndedError(this.did)
    throw new ServerRefusedError(method, response.status, response.data)
  }
}

type Failed = Extract<ClientResponse<unknown, unknown>, { ok: false }>

const isSessionEnd = (error: unknown): boolean =>
  error instanceof Error &&
  ['TokenRefreshError', 'TokenInvalidError', 'TokenRevokedError'].includes(error.name)
