import type { Db } from '#store/database/database.ts'
import type { WorkKind, WorkPriority } from '#store/database/schema.ts'
import { nextDueAt, type Owners, takeDue } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { leaseMs } from './run-work.ts'

interface OwnerQuotaOptions {
  readonly db: Db
  readonly kind: WorkKind
  readonly now: () => number
  /** The owners with a quota, and those without. Null: nobody has one. */
  readonly owners: { readonly bounded: Owners; readonly free: Owners } | null
  /** Items of `bounded` owners in progress at a time. */
  readonly max: number
}

/** Takes due items; the quota keeps `bounded` owners, of whom anybody can enqueue any number, from delaying others. */
export class OwnerQuota {
  readonly #options: OwnerQuotaOptions
  readonly #bounded = new Set<WorkItem>()

  constructor(options: OwnerQuotaOptions) {
    this.#options = options
  }

  async take(
    limit: number,
    facts: { readonly line?: string | undefined; readonly priorities?: readonly WorkPriority[] },
  ): Promise<WorkItem[]> {
    const { owners, max } = this.#options
    const free = await this.#takeOf(owners?.free, limit, facts)
    if (owners === null) return free
    const left = Math.min(limit - free.length, max - this.#bounded.size)
    const bounded = await this.#takeOf(owners.bounded, left, facts)
    for (const item of bounded) this.#bounded.add(item)
    return [...free, ...bounded]
  }

  async #takeOf(
    owners: Owners | undefined,
    limit: number,
    facts: Parameters<OwnerQuota['take']>[1],
  ): Promise<WorkItem[]> {
    const { db, kind, now } = this.#options
    if (limit <= 0) return []
    return await takeDue(db, { ...facts, kind, owners, now: now(), leaseMs, limit })
  }

  get isFull(): boolean {
    return this.#bounded.size >= this.#options.max
  }

  isBounded(item: WorkItem): boolean {
    return this.#bounded.has(item)
  }

  /** The item no longer counts. */
  release(item: WorkItem): void {
    this.#bounded.delete(item)
  }

  /**
   * When the next item without priority in this line, or in none, that `take` may return is due, possibly in the past;
   * null: none.
   */
  nextAt({ line }: { readonly line?: string | undefined } = {}): Promise<number | null> {
    const { db, kind, now, owners } = this.#options
    const free = this.isFull ? owners?.free : undefined
    return nextDueAt(db, { kind, priority: 0, owners: free, line, now: now() })
  }
}
