import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { UtcDay } from '#site/utc-day.ts'

/** What visitors took, by day; which the rules of `Schema` hold for. */
export interface TrafficTables {
  siteTraffic: {
    did: Did
    /** Empty: all sites of the account, removed ones included. */
    site: SiteName | ''
    day: UtcDay
    requests: number
    /** Of bodies. Negative if a body is broken off after its site was removed and came back. */
    bytes: number
    refused: number
  }
  siteVisits: {
    did: Did
    site: SiteName
    day: UtcDay
    kind: VisitKind
    /** A path, a host, `DE`, `2xx`; empty: others. */
    value: string
    count: number
  }
  siteVisitors: {
    did: Did
    site: SiteName
    day: UtcDay
    /** About how many. */
    visitors: number
    /** As `VisitorSketch` encodes it; null: the day is over. */
    sketch: string | null
  }
  visitorSalts: {
    day: UtcDay
    salt: string
  }
}

/** What visits are counted by: a page's path, the host of the page before, the visitor's country, the class of the status. */
export type VisitKind = 'page' | 'referrer' | 'country' | 'status'
