import type { AccountRepo, Committed, ListedRecord, RepoWrite } from '#atproto/repo/account-repo.ts'
import { recordCid } from '#atproto/repo/record-cid.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import type { Pause } from '#publish/server-patience.ts'
import type { Did } from '#site/site-address.ts'
import { alice, versionKeyOf } from '#tests/support/database/sample-rows.ts'

type Collection = RepoWrite['collection']

/** A repository in memory that keeps the promises of a real one: atomic commits, swaps, CIDs that change. */
export class FakeRepo {
  readonly did: Did = alice
  readonly #records = new Map<string, ListedRecord>()
  #commits = 0
  /** What was asked of it, in order. */
  readonly calls: string[] = []
  /** Runs before the next call of this method, once. */
  readonly before = new Map<string, () => void>()
  /** Collections whose values are beyond the limits of a listing. */
  readonly leftOut = new Set<string>()
  /** The most writes that `applyWrites` takes; 0: it has no such method. */
  writesMax = 200
  /** It commits on any head, as a server does that does not know `swapCommit`. */
  ignoresSwap = false

  /** Another one with the same records and head. */
  copy(): FakeRepo {
    const copy = new FakeRepo()
    for (const [key, record] of this.#records) copy.#records.set(key, record)
    copy.#commits = this.#commits
    return copy
  }

  /** As the code under test takes it. */
  get asRepo(): AccountRepo {
    return this as unknown as AccountRepo
  }

  /** Of the latest commit: grows, and is later than what tests call one otherwise. */
  get rev(): string {
    return `3l${versionKeyOf(this.#commits).slice(2)}`
  }

  /** Another program writes a record. */
  put(collection: string, rkey: string, value: unknown): void {
    this.#commits += 1
    const cid = recordCid(JSON.parse(JSON.stringify(value)))
    this.#records.set(`${collection}/${rkey}`, { rkey, cid, value })
  }

  remove(collection: string, rkey: string): void {
    this.#commits += 1
    this.#records.delete(`${collection}/${rkey}`)
  }

  find(collection: string, rkey: string): ListedRecord | null {
    return this.#records.get(`${collection}/${rkey}`) ?? null
  }

  keys(collection: string): string[] {
    return [...this.#records.keys()]
      .filter((key) => key.startsWith(`${collection}/`))
      .map((key) => key.slice(collection.length + 1))
      .sort()
  }

  async latestCommit(): Promise<string> {
    this.called('latestCommit')
    return `commit-${this.#commits}`
  }

  async latestRev(): Promise<string> {
    this.called('latestRev')
    return this.rev
  }

  async listRecords(
    collection: Collection,
    { summarize = () => null }: Summaries = {},
  ): Promise<ListedRecord[]> {
    this.called('listRecords')
    const records = this.keys(collection).flatMap((rkey) => this.find(collection, rkey) ?? [])
    if (!this.leftOut.has(collection)) return records
    return await Promise.all(
      records.map(async (record) => {
        const json = Buffer.from(JSON.stringify(record.value))
        return { ...record, value: await summarize(json, async () => record.value) }
      }),
    )
  }

  async findRecord(collection: Collection, rkey: string): Promise<ListedRecord | null> {
    this.called('findRecord')
    return this.find(collection, rkey)
  }

  async applyWrites(writes: readonly RepoWrite[], head: string): Promise<Committed> {
    this.called('applyWrites')
    if (writes.length > this.writesMax) throw refusal(413, 'PayloadTooLarge')
    if (!this.ignoresSwap && head !== `commit-${this.#commits}`) throw refusal(400, 'InvalidSwap')
    for (const write of writes) {
      const exists = this.find(write.collection, write.rkey) !== null
      // As the reference server has it: creating what is there, or changing what is not, is an error.
      if (exists === (write.action === 'create')) throw refusal(500, 'InternalServerError')
    }
    const cids = writes.map((write) => {
      if (write.action === 'delete') this.remove(write.collection, write.rkey)
      else this.put(write.collection, write.rkey, write.value)
      return this.find(write.collection, write.rkey)?.cid ?? null
    })
    return { cids, head: `commit-${this.#commits}` }
  }

  async putRecord(
    collection: Collection,
    rkey: string,
    record: Record<string, unknown>,
    replaces?: string | null,
  ): Promise<{ uri: string; cid: string }> {
    this.called('putRecord')
    const current = this.find(collection, rkey)?.cid ?? null
    if (replaces !== undefined && replaces !== current) throw refusal(400, 'InvalidSwap')
    this.put(collection, rkey, record)
    const cid = this.find(collection, rkey)?.cid ?? ''
    return { uri: `at://${this.did}/${collection}/${rkey}`, cid }
  }

  async deleteRecord(collection: Collection, rkey: string, replaces?: string): Promise<void> {
    this.called('deleteRecord')
    const current = this.find(collection, rkey)?.cid
    const isOther = current !== undefined && replaces !== current
    if (replaces !== undefined && isOther) throw refusal(400, 'InvalidSwap')
    this.remove(collection, rkey)
  }

  protected called(method: string): void {
    const meanwhile = this.before.get(method)
    this.before.delete(method)
    meanwhile?.()
    this.calls.push(method)
  }
}

interface Summaries {
  readonly summarize?: (json: Uint8Array, parse: () => Promise<unknown>) => unknown
}

/** Retries follow at once. */
export const noPause: Pause = async (_, signal) => signal?.throwIfAborted()

/** The answer of a server that does not do what was asked. */
export function refusal(
  status: number,
  error: string,
  headers: Record<string, string> = {},
): ServerRefusedError {
  return new ServerRefusedError('method', {
    status,
    data: { error },
    headers: new Headers(headers),
  })
}
