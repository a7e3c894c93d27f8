import { type Did, isCid, isTid } from '@atcute/lexicons/syntax'
import type { AccountSession } from '#atproto/oauth/account-sessions.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { smallAnswer } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import type { JsonLimits, JsonPiece } from '#outbound/json-scan.ts'
import { ServerRefusedError, UnusableAnswerError } from '#outbound/server-errors.ts'
import type { Collection, foreignWebhookCollection, OwnCollection } from '#site/namespace.ts'
import { type BlobRef, readBlobRef } from '#site/record/blob-ref.ts'
import { ownField } from '#site/record/own-fields.ts'
import { AccountCalls, posting } from './account-calls.ts'
import { listMethod, listRecords, parseRecord, readRecord, recordLimits } from './list-records.ts'

export type RepoWrite =
  | {
      readonly action: 'create' | 'update'
      readonly collection: OwnCollection
      readonly rkey: string
      readonly value: Record<string, unknown>
    }
  | { readonly action: 'delete'; readonly collection: OwnCollection; readonly rkey: string }

export interface ListedRecord {
  readonly rkey: string
  readonly cid: string
  /** Untrusted, as the server sent it. Null: left out because the limits are used up. */
  readonly value: unknown
}

/** Records that are written elsewhere, too. */
type ReadCollection = Collection | typeof foreignWebhookCollection

/** A commit that was made. */
export interface Committed {
  /** Of the records, in the order of the writes; null for deletions. Empty for deletions only, if the server sends no results. */
  readonly cids: readonly (string | null)[]
  /** CID of the commit; null: not stated. */
  readonly head: string | null
}

interface ListOptions {
  readonly recordsMax: number
  /** Limit for all records together; the values of later records are left out. */
  readonly valuesMax: number
  /**
   * What takes the place of a value that is left out; without it null. `parse` returns the value, null if it exceeds the
   * limits of our records.
   */
  readonly summarize?: (json: Uint8Array, parse: () => Promise<unknown>) => unknown
  /** Called for each record that is returned whole: how much of `valuesMax` it takes. */
  readonly onKept?: (values: number) => void
}

/** Fits the answer to a commit of 200 writes. */
const writesAnswer: JsonLimits = { bytesMax: 512 * 1024, valuesMax: 5_000, namesMax: 200 }
/** All our fields at their limits, each byte escaped, plus fields of other programs. */
const settingsLimits: JsonLimits = { bytesMax: 512 * 1024, valuesMax: 2_000, namesMax: 200 }
/** The rest of the answer, next to the record. */
const addressBytesMax = 64 * 1024

const revCharsMax = 13

/** Characters that take about as much memory as one value, 80 bytes. */
const bytesPerValue = 64

/**
 * One account's repository, accessed through the owner's session. Every call throws SessionEndedError,
 * ServerRefusedError, UnusableAnswerError or ServerUnreachableError (immediately when `signal` is aborted).
 */
export class AccountRepo {
  readonly did: Did
  readonly #calls: AccountCalls

  constructor(
    did: Did,
    openSession: (did: Did) => Promise<AccountSession>,
    { signal }: { signal?: AbortSignal } = {},
  ) {
    this.did = did
    this.#calls = new AccountCalls(did, openSession, signal)
  }

  /** The server's limit for one blob; null: not stated. */
  async blobUploadBytesMax(): Promise<number | null> {
    const answer = await this.#calls.fields('com.atproto.server.describeServer', {})
    return answer.has('blobUploadLimit') ? answer.count('blobUploadLimit') : null
  }

  /**
   * Uploads a blob; the server drops it unless a record references it. The record must repeat the reference exactly
   * as returned: servers that sniff change its media type. A large `blob` is read as it is sent.
   */
  async uploadBlob(blob: Blob, signal?: AbortSignal): Promise<BlobRef> {
    const answer = await this.#calls.fields('com.atproto.repo.uploadBlob', {
      method: 'POST',
      body: blob,
      ...(signal && { signal }),
      headers: {
        'content-type': 'application/octet-stream',
        // The deadline of the request is derived from this (safe-fetch).
        'content-length': String(blob.size),
      },
    })
    const stored = readBlobRef(answer.get('blob'))
    if (!stored.ok) throw answer.unusable('blob', { cause: new Error(stored.problem) })
    return stored.blob
  }

  /** Compare-and-swap on `replaces`: the CID of the current record, null for none; else `InvalidSwap`. */
  async putRecord(
    collection: OwnCollection,
    rkey: string,
    record: Record<string, unknown>,
    replaces?: string | null,
  ): Promise<{ uri: string; cid: string }> {
    const swap = replaces === undefined ? {} : { swapRecord: replaces }
    const input = { repo: this.did, collection, rkey, record, ...swap }
    const answer = await this.#calls.fields('com.atproto.repo.putRecord', posting(input))
    return { uri: `at://${this.did}/${collection}/${rkey}`, cid: answer.cid('cid') }
  }

  /**
   * Idempotent: no error when there is no such record. With `replaces`, compare-and-swap on the CID of the current
   * record; else `InvalidSwap`.
   */
  async deleteRecord(collection: OwnCollection, rkey: string, replaces?: string): Promise<void> {
    const swap = replaces === undefined ? {} : { swapRecord: replaces }
    const input = { repo: this.did, collection, rkey, ...swap }
    await this.#calls.body('com.atproto.repo.deleteRecord', posting(input), smallAnswer.bytesMax)
  }

  /** Applies all writes in one commit on top of `head`, or none: then ServerRefusedError `InvalidSwap`. */
  async applyWrites(writes: readonly RepoWrite[], head: string): Promise<Committed> {
    const typed = writes.map((write) => ({
      $type: `com.atproto.repo.applyWrites#${write.action}`,
      collection: write.collection,
      rkey: write.rkey,
      ...(write.action !== 'delete' && { value: write.value }),
    }))
    const input = { repo: this.did, swapCommit: head, writes: typed }
    const answer = await this.#calls.fields(
      'com.atproto.repo.applyWrites',
      posting(input),
      writesAnswer,
    )
    const committed = { head: headOf(answer) }
    // Deletions have no CIDs to report.
    if (!answer.has('results') && writes.every(({ action }) => action === 'delete')) {
      return { ...committed, cids: [] }
    }
    const results = answer.objects('results')
    if (results.length !== writes.length) throw answer.unusable('results')
    const cids = results.map((result, n) =>
      writes[n]?.action === 'delete' ? null : result.cid('cid'),
    )
    return { ...committed, cids }
  }

  async latestCommit(): Promise<string> {
    return (await this.#latestCommit()).cid('cid')
  }

  /** The revision of the latest commit: a TID. */
  async latestRev(): Promise<string> {
    const answer = await this.#latestCommit()
    const rev = answer.string('rev', revCharsMax)
    if (!isTid(rev)) throw answer.unusable('rev')
    return rev
  }

  /** The current record, or null. Its value is null if it exceeds the limits of our records. */
  async findRecord(collection: ReadCollection, rkey: string): Promise<ListedRecord | null> {
    const method = 'com.atproto.repo.getRecord'
    const limits = collection.endsWith('.settings') ? settingsLimits : recordLimits
    const parameters = { repo: this.did, collection, rkey }
    const bytesMax = recordLimits.bytesMax + addressBytesMax
    try {
      const body = await this.#calls.body(method, { parameters }, bytesMax)
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
    collection: ReadCollection,
    { recordsMax, valuesMax, summarize = () => null, onKept = () => {} }: ListOptions,
  ): Promise<ListedRecord[]> {
    const records: ListedRecord[] = []
    let valuesLeft = valuesMax
    const keep = async (value: JsonPiece): Promise<unknown> => {
      const values = value.values + value.bytes.length / bytesPerValue
      valuesLeft -= values
      const parse = () => parseRecord(value, listMethod)
      if (valuesLeft < 0) return await summarize(value.bytes, parse)
      onKept(values)
      return await parse()
    }
    const yieldWhenDue = timeSlices()
    const pages = listRecords({ did: this.did, collection, recordsMax }, (parameters, bytesMax) =>
      this.#calls.body(listMethod, { parameters }, bytesMax),
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

  async #latestCommit(): Promise<AnswerFields> {
    const query = { parameters: { did: this.did } }
    return await this.#calls.fields('com.atproto.sync.getLatestCommit', query)
  }
}

/** It is optional, and of no use unless it is a CID. */
function headOf(answer: AnswerFields): string | null {
  const commit = answer.get('commit')
  const cid = ownField(commit, 'cid')
  return typeof cid === 'string' && isCid(cid) ? cid : null
}
