import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { Log } from '#observe/log.ts'
import { listChangedCertificates } from '#store/certificates/certificates.ts'
import type { Db } from '#store/database/database.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'

const readEveryMs = 5_000
const pageSize = 1_000
/** A process may write a certificate with an earlier time than another one, and later. */
const overlapMs = 60_000

interface IndexContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly signal: AbortSignal
}

/** The names of all certificates that are stored, in memory: some 100 bytes each. */
export class CertificateIndex {
  /** Woken when a certificate is there that was not, or that was renewed. For one listener. */
  readonly changes = new WakeUp()
  readonly #changedAt = new Map<string, number>()
  readonly #awaited = new Map<string, () => void>()
  #latest = 0

  /** When the certificate was stored; null: there is none. */
  changedAt(name: string): number | null {
    return this.#changedAt.get(name) ?? null
  }

  /** To be called when it is not stored any more. */
  forget(name: string): void {
    this.#changedAt.delete(name)
  }

  /** Calls `learned` once when there is a certificate for the name; one caller at a time. */
  await(name: string, learned: () => void): Disposable {
    this.#awaited.set(name, learned)
    return { [Symbol.dispose]: () => this.#awaited.delete(name) }
  }

  /** Reads what has changed, also by other processes, until the signal. */
  async run({ db, wakeUps, log, signal }: IndexContext): Promise<void> {
    using woken = wakeUps.subscribe('certificates')
    const read = async (): Promise<number> => {
      await this.read(db)
      return readEveryMs
    }
    const onError = waitForDatabase('certificates', { log, signal })
    await everyOrWhenWoken(read, { signal, wakeUp: woken, onError })
  }

  async read(db: Db): Promise<void> {
    let position = { since: this.#latest - overlapMs, after: '' }
    for (let count = pageSize; count === pageSize; ) {
      const page = await listChangedCertificates(db, { ...position, limit: pageSize })
      for (const { name, changedAt } of page) {
        if (this.#changedAt.get(name) !== changedAt) this.changes.wake()
        this.#changedAt.set(name, changedAt)
        this.#awaited.get(name)?.()
        this.#latest = Math.max(this.#latest, changedAt)
        position = { since: changedAt, after: name }
      }
      count = page.length
    }
  }
}
