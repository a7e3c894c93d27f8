import { parse } from 'tldts'
import { TtlMap } from './lru-map.ts'

/** How quickly an attempt for an account may be expected to end; unknown counts as quick. */
export type Pace = 'quick' | 'slow' | 'unknown'

/** The account that the work is for, and its server. */
export interface Party {
  readonly account: string
  /** Host of the account's server; null while unknown. */
  readonly host: string | null
}

interface Seen {
  /** From 0, always quick, to 1, slow. */
  readonly slowness: number
  readonly at: number
}

const keysMax = 50_000
const rememberMs = 60 * 60_000
/** An account that was slow is quick again after three quick attempts in a row. */
const accountSlowAbove = 0.2
/** A server is slow when most of its accounts were. */
const serverSlowAbove = 0.5
const serverWeight = 0.25

/**
 * Remembers for an hour whether attempts were slow. An account's own attempts decide. Without any, the other accounts of
 * its server decide, then those of the server's registrable domain, whose owner can create any number of host names.
 */
export class PaceHistory {
  readonly #elapsed: () => number
  readonly #accounts: TtlMap<string, Seen>
  readonly #servers: TtlMap<string, Seen>

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor({ elapsed }: { readonly elapsed: () => number }) {
    this.#elapsed = elapsed
    this.#accounts = new TtlMap({ max: keysMax, ttlMs: rememberMs, now: elapsed })
    this.#servers = new TtlMap({ max: keysMax, ttlMs: rememberMs, now: elapsed })
  }

  paceOf({ account, host }: Party): Pace {
    const own = this.#accounts.get(account)
    if (own !== undefined) return own.slowness > accountSlowAbove ? 'slow' : 'quick'
    for (const server of host === null ? [] : serversOf(host)) {
      const seen = this.#servers.get(server)
      if (seen !== undefined) return seen.slowness > serverSlowAbove ? 'slow' : 'quick'
    }
    return 'unknown'
  }

  /**
   * Round robin by the end of each account's last attempt. Accounts without one within an hour come first, those on a
   * server known to be quick before the rest. Otherwise in the order given.
   */
  inOrder(parties: readonly Party[]): Party[] {
    const ranked = parties.map((party) => {
      const own = this.#accounts.get(party.account)
      return { party, rank: own?.at ?? (this.paceOf(party) === 'quick' ? -2 : -1) }
    })
    return ranked.sort((a, b) => a.rank - b.rank).map(({ party }) => party)
  }

  /** An account counts once for its server, and again when its pace changes: one account alone cannot make a server slow. */
  record({ account, host }: Party, { isSlow }: { readonly isSlow: boolean }): void {
    const at = this.#elapsed()
    const before = this.#accounts.get(account)
    this.#accounts.set(account, { slowness: isSlow ? 1 : (before?.slowness ?? 0) / 2, at })
    const isNews = before === undefined || isSlow !== before.slowness > accountSlowAbove
    if (host === null || !isNews) return
    for (const server of serversOf(host)) {
      const seen = this.#servers.get(server)
      const slowness = Number(isSlow)
      const weight = seen === undefined ? 1 : serverWeight
      this.#servers.set(server, {
        slowness: slowness * weight + (seen?.slowness ?? 0) * (1 - weight),
        at,
      })
    }
  }
}

/** A server's host, port included, and its registrable domain; names below a hoster's public suffix share one. */
export function serversOf(host: string): readonly string[] {
  const { domain } = parse(host)
  return domain === null ? [host] : [host, `*.${domain}`]
}
