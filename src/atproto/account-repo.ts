import type {} from '@atcute/atproto'
import { Client, type ClientResponse, type FetchHandler } from '@atcute/client'
import type { Did } from '@atcute/lexicons/syntax'
import type { BlobRef } from '#site/blob-ref.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { type AccountSession, SessionEndedError } from './oauth.ts'
import { orAborted } from './or-aborted.ts'
import { weightOf } from './weight-of.ts'

/** The account's server answered, and not with what was asked for. */
export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError'
  readonly method: string
  readonly status: number
  /** The server's XRPC error name, e.g. `InvalidSwap`. */
  readonly code: string
  readonly reason: string
  /** Of a 429: when its limit ends, in milliseconds since the epoch; null when it does not say. */
  readonly retryAt: number | null

  constructor(method: string, { status, headers, data }: Refusal) {
    super(`server refused; method=${method} status=${status} error=${data.error}`)
    this.method = method
    this.status = status
    this.code = data.error
    this.reason = data.message ?? data.error
    this.retryAt = status === 429 ? retryAtOf(headers ?? new Headers()) : null
  }
}

interface Refusal {
  readonly status: number
  readonly headers?: Headers
  readonly data: { readonly error: string; readonly message?: string }
}

// atproto servers send `ratelimit-reset` in seconds since the epoch; RFC 9110 §10.2.3 has the other.
function retryAtOf(headers: Headers): number | null {
  const resetSeconds = Number(headers.get('ratelimit-reset') || Number.NaN)
  if (Number.isFinite(resetSeconds)) return resetSeconds * 1000
  const retryAfter = headers.get('retry-after') ?? ''
  const seconds = Number(retryAfter || Number.NaN)
  const at = Number.isFinite(seconds) ? Date.now() + seconds * 1000 : Date.parse(retryAfter)
  return Number.isFinite(at) ? at : null
}

/** One change of `applyWrites`. */
export type RepoWrite =
  | {
      readonly action: 'create' | 'update'
      readonly collection: Collection
      readonly rkey: string
      readonly value: Record<string, unknown>
    }
  | { readonly action: 'delete'; readonly collection: Collection; readonly rkey: string }

export interface ListedRecord {
  readonly rkey: string
  readonly cid: string
  /** As the server gave it: anybody may have written it. Null: left out, for there is too much before it. */
  readonly value: unknown
}

interface ListOptions {
  readonly recordsMax: number
  /** Of all records together; what goes beyond is left out of those that come later. */
  readonly valuesMax: number
}

type Collection = 'place.sitehost.fs' | 'place.sitehost.subfs' | 'place.sitehost.settings'

/** A record may have 1 MiB; the answer has to stay below what `repoResponseBytesMax` allows. */
const recordsPerPage = 20
export const repoResponseBytesMax = 32 * 1024 * 1024

/** What a server says of a blob that it has stored fits many times. Eight such answers come at once, a job. */
const uploadAnswerBytesMax = 64 * 1024

/** The account's server gave no answer. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError'

  constructor(method: string, options?: ErrorOptions) {
    super(`server unreachable; method=${method}`, options)
  }
}

/**
 * One account's repository, written with its owner's permission. Every call throws SessionEndedError,
 * ServerRefusedError or ServerUnreachableError; the latter at once when `signal` is aborted.
 */
export class AccountRepo {
  readonly did: Did
  readonly #openSession: () => Promise<AccountSession>
  readonly #signal: AbortSignal | undefined

  constructor(
    did: Did,
    openSession: (did: Did) => Promise<AccountSession>,
    { signal }: { signal?: AbortSignal } = {},
  ) {
    this.did = did
    this.#openSession = () => openSession(did)
    this.#signal = signal
  }

  /** Bytes of the largest blob that the server takes; null where it does not say. */
  async blobUploadBytesMax(): Promise<number | null> {
    const data = await this.#call('com.atproto.server.describeServer', (rpc) =>
      rpc.get('com.atproto.server.describeServer', {}),
    )
    return data.blobUploadLimit ?? null
  }

  /**
   * Stores bytes until a record names them. The reference must be repeated in the record exactly as it
   * is returned: servers that sniff change its media type. A file-backed `blob` is streamed.
   */
  async uploadBlob(blob: Blob, signal?: AbortSignal): Promise<BlobRef> {
    const upload = (rpc: Client) =>
      rpc.post('com.atproto.repo.uploadBlob', {
        input: blob,
        ...(signal && { signal }),
        headers: {
          'content-type': 'application/octet-stream',
          // The deadline of the request is derived from this (safe-fetch).
          'content-length': String(blob.size),
        },
      })
    const limits = { responseBytesMax: uploadAnswerBytesMax }
    const data = await this.#call('com.atproto.repo.uploadBlob', upload, limits)
    return data.blob as BlobRef
  }

  /** `replaces`: the CID of the record as it must be now, null for none; else `InvalidSwap`. */
  async putRecord(
    collection: Collection,
    rkey: string,
    record: Record<string, unknown>,
    replaces?: string | null,
  ): Promise<{ uri: string; cid: string }> {
    const swap = replaces === undefined ? {} : { swapRecord: replaces }
    return await this.#call('com.atproto.repo.putRecord', (rpc) =>
      rpc.post('com.atproto.repo.putRecord', {
        input: { repo: this.did, collection, rkey, record, ...swap },
      }),
    )
  }

  /** No error when there is none. */
  async deleteRecord(collection: Collection, rkey: string): Promise<void> {
    await this.#call('com.atproto.repo.deleteRecord', (rpc) =>
      rpc.post('com.atproto.repo.deleteRecord', { input: { repo: this.did, collection, rkey } }),
    )
  }

  /**
   * All of these changes in one commit on top of `head`, or none: then ServerRefusedError `InvalidSwap`.
   * Answers with the CIDs in the order of the writes; null for deletions.
   */
  async applyWrites(
    writes: readonly RepoWrite[],
    head: string,
  ): Promise<readonly { readonly cid: string | null }[]> {
    const input = writes.map((write) => ({
      ...write,
      $type: `com.atproto.repo.applyWrites#${write.action}` as const,
    }))
    const data = await this.#call('com.atproto.repo.applyWrites', (rpc) =>
      rpc.post('com.atproto.repo.applyWrites', {
        // `action` is ours; the protocol goes by `$type` and ignores other fields.
        input: { repo: this.did, swapCommit: head, writes: input as never },
      }),
    )
    return (data.results ?? []).map((result) => ({ cid: 'cid' in result ? result.cid : null }))
  }

  /** The CID of the newest commit. */
  async latestCommit(): Promise<string> {
    const { cid } = await this.#call('com.atproto.sync.getLatestCommit', (rpc) =>
      rpc.get('com.atproto.sync.getLatestCommit', { params: { did: this.did } }),
    )
    return cid
  }

  /** The record as it is now, or null. */
  async findRecord(collection: Collection, rkey: string): Promise<ListedRecord | null> {
    try {
      const { cid, value } = await this.#call('com.atproto.repo.getRecord', (rpc) =>
        rpc.get('com.atproto.repo.getRecord', { params: { repo: this.did, collection, rkey } }),
      )
      return { rkey, cid: cid ?? '', value }
    } catch (error) {
      const isMissing = error instanceof ServerRefusedError && error.code === 'RecordNotFound'
      if (isMissing) return null
      throw error
    }
  }

  /** A collection's records, at most `recordsMax`, read page by page. */
  async listRecords(
    collection: Collection,
    { recordsMax, valuesMax }: ListOptions,
  ): Promise<ListedRecord[]> {
    const records: ListedRecord[] = []
    let valuesLeft = valuesMax
    const kept = (value: unknown): unknown => {
      valuesLeft -= weightOf(value, valuesLeft)
      return valuesLeft < 0 ? null : value
    }
    let cursor: string | undefined
    do {
      const page = await this.#call('com.atproto.repo.listRecords', (rpc) =>
        rpc.get('com.atproto.repo.listRecords', {
          params: {
            repo: this.did,
            collection,
            limit: recordsPerPage,
            ...(cursor ? { cursor } : {}),
          },
        }),
      )
      records.push(
        ...page.records.map(({ uri, cid, value }) => ({
          rkey: uri.slice(uri.lastIndexOf('/') + 1),
          cid,
          value: kept(value),
        })),
      )
      cursor = page.records.length > 0 ? page.cursor : undefined
    } while (cursor && records.length < recordsMax)
    return records.slice(0, recordsMax)
  }

  async #call<T>(
    method: string,
    request: (rpc: Client) => Answer<T>,
    limits?: Partial<FetchLimits>,
  ): Promise<T> {
    let response: Awaited<Answer<T>>
    try {
      // What an abort leaves running may be the renewal of tokens, which must come to its end.
      response = await orAborted(this.#request(request, limits), this.#signal)
    } catch (cause) {
      if (isSessionEnd(cause)) throw new SessionEndedError(this.did, { cause })
      throw new ServerUnreachableError(method, { cause })
    }
    if (response.ok) return response.data
    if (response.status === 401) throw new SessionEndedError(this.did)
    throw new ServerRefusedError(method, response)
  }

  async #request<T>(
    request: (rpc: Client) => Answer<T>,
    limits: Partial<FetchLimits> = {},
  ): Promise<Awaited<Answer<T>>> {
    this.#signal?.throwIfAborted()
    // Asked for anew each time: a sign-in meanwhile brings other tokens, bound to another key.
    const session = await this.#openSession()
    const handle: FetchHandler = (path, init) =>
      session.handle(path, { ...init, limits, signal: anyOf(init.signal, this.#signal) })
    return await request(new Client({ handler: handle }))
  }
}

const anyOf = (...signals: (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal != null))

type Answer<T> = Promise<{ ok: true; data: T } | Failed>

type Failed = Extract<ClientResponse<unknown, unknown>, { ok: false }>

const isSessionEnd = (error: unknown): boolean =>
  error instanceof SessionEndedError ||
  (error instanceof Error &&
    ['TokenRefreshError', 'TokenInvalidError', 'TokenRevokedError'].includes(error.name))
