import type { Did } from '#site/site-address.ts'
import { type AccountSync, type SyncContext, syncAccount } from './sync-account.ts'

/** So many accounts are read at once because somebody asked for it. */
const syncsMax = 8

/** Others are being synced; this one can be asked for again in a minute. */
export class SyncsBusyError extends Error {
  override readonly name = 'SyncsBusyError'

  constructor() {
    super('too many accounts are being synced')
  }
}

/** Syncs that people ask for: one at a time an account, whoever asks meanwhile gets the same answer. */
export class AccountSyncs {
  readonly #context: SyncContext
  readonly #running = new Map<Did, Promise<AccountSync>>()

  constructor(context: SyncContext) {
    this.#context = context
  }

  /** Throws SyncsBusyError, and what `syncAccount` throws. */
  async run(did: Did): Promise<AccountSync> {
    const running = this.#running.get(did)
    if (running !== undefined) return await running
    if (this.#running.size >= syncsMax) throw new SyncsBusyError()
    const sync = syncAccount(did, this.#context).finally(() => this.#running.delete(did))
    this.#running.set(did, sync)
    return await sync
  }
}
