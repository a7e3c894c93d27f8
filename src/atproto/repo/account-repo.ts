import type {} from '@atcute/atproto'
import { Client, type ClientResponse, type FetchHandler } from '@atcute/client'
import type { Did } from '@atcute/lexicons/syntax'
import { type AccountSession, SessionEndedError } from '#atproto/oauth/oauth.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { boundedRefusal, fieldsOf, smallAnswer, tooMuch } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import type { JsonLimits, JsonPiece } from '#outbound/json-scan.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { type BlobRef, readBlobRef } from '#site/record/blob-ref.ts'
import { listMethod, listRecords, parseRecord, readRecord, recordLimits } from './list-records.ts'

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
  /** Untrusted, as the server sent it. Null: left out because the limits are used up. */
  readonly value: unknown
}

interface ListOptions {
  readonly recordsMax: number
  /** Limit for all records together; the values of later records are left out. */
  readonly valuesMax: number
}

type Collection = 'place.sitehost.fs' | 'place.sitehost.subfs' | 'place.sitehost.settings'

/** Fits the answer to a commit of 200 writes. */
const writesAnswer: JsonLimits = { bytesMax: 512 * 1024, valuesMax: 5_000, namesMax: 200 }
/** All our fields at their limits, each byte escaped, plus fields of other programs. */
const settingsLimits: JsonLimits = { bytesMax: 512 * 1024, valuesMax: 2_000, namesMax: 200 }
/** The rest of the answer, next to the record. */
const addressBytesMax = 64 * 1024

/** Characters that take about as much memory as one value, 80 bytes. */
const bytesPerValue = 64

/**
 * One account's repository, accessed through the owner's session. Every call throws SessionEndedError,
 * ServerRefusedError, UnusableAnswerError or ServerUnreachableError (immediately when `signal` is aborted).
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

  /** The server's limit for one blob; null: not stated. */
  async blobUploadBytesMax(): Promise<number | null> {
    const answer = await this.#fields('com.atproto.server.describeServer', smallAnswer, (rpc) =>
      rpc.get('com.atproto.server.describeServer', { as: 'bytes' }),
    )
    return answer.has('blobUploadLimit') ? answer.count('blobUploadLimit') : null
  }

  /**
   * Uploads a blob; the server drops it unless a record references it. The record must repeat the reference exactly
   * as returned: servers that sniff change its media type. A file-backed `blob` is streamed.
   */
  async uploadBlob(blob: Blob, signal?: AbortSignal): Promise<BlobRef> {
    const answer = await this.#fields('com.atproto.repo.uploadBlob', smallAnswer, (rpc) =>
      rpc.post('com.atproto.repo.uploadBlob', {
        as: 'bytes',
        input: blob,
        ...(signal && { signal }),
        headers: {
          'content-type': 'application/octet-stream',
          // The deadline of the request is derived from this (safe-fetch).
          'content-length': String(blob.size),
        },
      }),
    )
    const stored = readBlobRef(answer.get('blob'))
    if (!stored.ok) throw answer.unusable('blob', { cause: new Error(stored.problem) })
    return stored.blob
  }

  /** Compare-and-swap on `replaces`: the CID of the current record, null for none; else `InvalidSwap`. */
  async putRecord(
    collection: Collection,
    rkey: string,
    record: Record<string, unknown>,
    replaces?: string | null,
  ): Promise<{ uri: string; cid: string }> {
    const swap = replaces === undefined ? {} : { swapRecord: replaces }
    const answer = await this.#fields('com.atproto.repo.putRecord', smallAnswer, (rpc) =>
      rpc.post('com.atproto.repo.putRecord', {
        as: 'bytes',
        input: { repo: this.did, collection, rkey, record, ...swap },
      }),
    )
    return { uri: `at://${this.did}/${collection}/${rkey}`, cid: answer.cid('cid') }
  }

  /** Idempotent: no error when there is no such record. */
  async deleteRecord(collection: Collection, rkey: string): Promise<void> {
    await this.#call('com.atproto.repo.deleteRecord', smallAnswer.bytesMax, (rpc) =>
      rpc.post('com.atproto.repo.deleteRecord', {
        as: 'bytes',
        input: { repo: this.did, collection, rkey },
      }),
    )
  }

  /**
   * Applies all writes in one commit on top of `head`, or none: then ServerRefusedError `InvalidSwap`. Returns the
   * CIDs in the order of the writes, null for deletions; empty for deletions only, if the server sends no results.
   */
  async applyWrites(
    writes: readonly RepoWrite[],
    head: string,
  ): Promise<readonly { readonly cid: string | null }[]> {
    const input = writes.map((write) => ({
      $type: `com.atproto.repo.applyWrites#${write.action}` as const,
      collection: write.collection,
      rkey: write.rkey,
      ...(write.action !== 'delete' && { value: write.value }),
    }))
    const answer = await this.#fields('com.atproto.repo.applyWrites', writesAnswer, (rpc) =>
      rpc.post('com.atproto.repo.applyWrites', {
        as: 'bytes',
        input: { repo: this.did, swapCommit: head, writes: input as never },
      }),
    )
    // Deletions have no CIDs to report.
    if (!answer.has('results') && writes.every(({ action }) => action === 'delete')) return []
    const results = answer.objects('results')
    if (results.length !== writes.length) throw answer.unusable('results')
    return results.map((result, n) => ({
      cid: writes[n]?.action === 'delete' ? null : result.cid('cid'),
    }))
  }

  /** The CID of the newest commit. */
  async latestCommit(): Promise<string> {
    const answer = await this.#fields('com.atproto.sync.getLatestCommit', smallAnswer, (rpc) =>
      rpc.get('com.atproto.sync.getLatestCommit', { as: 'bytes', params: { did: this.did } }),
    )
    return answer.cid('cid')
  }

  /** The current record, or null. Its value is null if it exceeds the limits of our records. */
  async findRecord(collection: Collection, rkey: string): Promise<ListedRecord | null> {
    const method = 'com.atproto.repo.getRecord'
    const limits = collection === 'place.sitehost.settings' ? settingsLimits : recordLimits
    try {
      const body = await this.#call(method, recordLimits.bytesMax + addressBytesMax, (rpc) =>
        rpc.get(method, { as: 'bytes', params: { repo: this.did, collection, rkey } }),
      )
      const { fields, value } = await readRecord(method, body)
      const cid = fields.has('cid') ? fields.cid('cid') : ''
      return { rkey, cid, value: await parseRecord(value, method, limits) }
    } catch (error) {
      const isMissing = error instanceof ServerRefusedError && error.code === 'RecordNotFound'
      if (isMissing) return null
      throw error
    }
  }

  /** The first `recordsMax` records of a collection, read page by page. */
  async listRecords(
    collection: Collection,
    { recordsMax, valuesMax }: ListOptions,
  ): Promise<ListedRecord[]> {
    const records: ListedRecord[] = []
    let valuesLeft = valuesMax
    const keep = async (value: JsonPiece): Promise<unknown> => {
      valuesLeft -= value.values + value.bytes.length / bytesPerValue
      return valuesLeft < 0 ? null : await parseRecord(value, listMethod)
    }
    const yieldWhenDue = timeSlices()
    const pages = listRecords({ did: this.did, collection, recordsMax }, (params, bytesMax) =>
      this.#call(listMethod, bytesMax, (rpc) => rpc.get(listMethod, { as: 'bytes', params })),
    )
    for await (const page of pages) {
      for (const { rkey, cid, value } of page) {
        if (cid === null) throw new UnusableAnswerError(listMethod, 'records.cid')
        await yieldWhenDue()
        records.push({ rkey, cid, value: await keep(value) })
      }
    }
    return records
  }

  async #fields(
    method: string,
    limits: JsonLimits,
    request: (rpc: Client) => Answer,
  ): Promise<AnswerFields> {
    return await fieldsOf(method, await this.#call(method, limits.bytesMax, request), limits)
  }

  /** The body of a successful answer. */
  async #call(
    method: string,
    bytesMax: number,
    request: (rpc: Client) => Answer,
  ): Promise<Uint8Array> {
    let response: Awaited<Answer>
    try {
      // An abort leaves the request running: it may be a token renewal, which must finish.
      response = await orAborted(this.#request(request, bytesMax), this.#signal)
    } catch (cause) {
      if (isSessionEnd(cause)) throw new SessionEndedError(this.did, { cause })
      const field = tooMuch(cause)
      if (field !== null) throw new UnusableAnswerError(method, field, { cause })
      throw new ServerUnreachableError(method, { cause })
    }
    if (response.ok) return response.data
    if (response.status === 401) throw new SessionEndedError(this.did)
    throw new ServerRefusedError(method, response)
  }

  async #request(
    request: (rpc: Client) => Answer,
    responseBytesMax: number,
  ): Promise<Awaited<Answer>> {
    this.#signal?.throwIfAborted()
    // Opened for each request: a sign-in in between brings new tokens, bound to another key.
    const session = await this.#openSession()
    const limits = { responseBytesMax }
    const handle: FetchHandler = async (path, init) => {
      const signal = anyOf(init.signal, this.#signal)
      const response = await session.handle(path, { ...init, limits, signal })
      return response.status === 200 ? response : await boundedRefusal(response)
    }
    return await request(new Client({ handler: handle }))
  }
}

const anyOf = (...signals: (AbortSignal | null | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal != null))

type Answer = Promise<{ ok: true; data: Uint8Array } | Failed>

type Failed = Extract<ClientResponse<unknown, unknown>, { ok: false }>

const isSessionEnd = (error: unknown): boolean =>
  error instanceof SessionEndedError ||
  (error instanceof Error &&
    ['TokenRefreshError', 'TokenInvalidError', 'TokenRevokedError'].includes(error.name))
