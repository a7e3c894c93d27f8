import { TtlMap } from '#concurrency/lru-map.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'

/** Permitted hosts that are remembered; beyond them a host may be logged more than once a day. */
const rememberedMax = 100_000
const onceEveryMs = 24 * 60 * 60 * 1000

interface CertificateLogOptions {
  readonly log: Log
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/**
 * The events of certificates that were asked for. Each permitted host has a line once a day: there are as many as names
 * that lead to sites. Refused ones, which clients can make up, have a line a minute. All are counted.
 */
export class CertificateLog {
  readonly #log: Log
  readonly #refusals: Log
  readonly #permitted: TtlMap<string, true>

  constructor({ log, now }: CertificateLogOptions) {
    this.#log = log
    this.#refusals = rateLimitedLog(log)
    this.#permitted = new TtlMap({ max: rememberedMax, ttlMs: onceEveryMs, now })
  }

  /** `host`: canonical. */
  permitted(host: string): void {
    if (this.#permitted.get(host) === undefined) {
      this.#permitted.set(host, true)
      recordEvent(this.#log, 'certificate_permitted', { host })
    } else {
      this.#log.count?.('certificate_permitted')
    }
  }

  refused(host: string): void {
    recordEvent(this.#refusals, 'certificate_refused', { host })
  }
}
