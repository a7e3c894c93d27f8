import type { Identities } from '#atproto/identity/identity.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { Bodies } from '#edge/files/bodies.ts'
import { CodingChoices } from '#edge/files/codings.ts'
import { DecodedFiles } from '#edge/files/decoded-files.ts'
import { DecodedStreams } from '#edge/files/decoded-streams.ts'
import { MissingBlobs, type SnapshotSource } from '#edge/files/missing-blobs.ts'
import { Recompressor } from '#edge/files/recompressor.ts'
import { Addresses } from '#edge/names/addresses.ts'
import { AwaitedSites } from '#edge/names/awaited-sites.ts'
import { DiscoverOwner, type Discovery, type Owner } from '#edge/names/discover-owner.ts'
import { GoneVersions } from '#edge/names/gone-versions.ts'
import { Hosts } from '#edge/names/hosts.ts'
import { Previews } from '#edge/names/previews.ts'
import { ServedNames } from '#edge/names/served-names.ts'
import { Takedowns } from '#edge/names/takedowns.ts'
import { OwnPages } from '#edge/pages.ts'
import { SiteShares } from '#edge/shares/site-shares.ts'
import { SiteCache } from '#edge/site-cache.ts'
import { SerializedAnswers } from '#edge/tls/serialized-answers.ts'
import type { Config } from '#main/config/config.ts'
import type { Log } from '#observe/log.ts'
import type { Stores } from './stores.ts'

interface EdgeOptions extends Stores {
  readonly config: Pick<
    Config,
    | 'baseDomain'
    | 'bodyBytesMax'
    | 'cdnPageSeconds'
    | 'decodedBytesMax'
    | 'hosting'
    | 'limits'
    | 'origin'
    | 'shares'
    | 'snapshotBytesMax'
    | 'tls'
  >
  /** Of this process alone. */
  readonly decodedDir: string
  readonly log: Log
  readonly now: () => number
  /** Monotonic. */
  readonly elapsed: () => number
  /** The origin of a host of ours. */
  readonly originOf: (host: string) => string
  readonly signal: AbortSignal
  /** Where this process writes no work items, has ingest read what lacks blobs. */
  readonly enqueue?: ((source: SnapshotSource) => Promise<unknown>) | undefined
}

/** What the edge keeps in memory, and what it is loaded from. */
export function openEdge(options: EdgeOptions) {
  const { blobs, config, db, decodedDir: dir, elapsed, floor, log, now, originOf } = options
  const bodies = new Bodies({ blobs, bytesMax: config.bodyBytesMax })
  const missing = new MissingBlobs(options)
  const origins = { baseDomain: config.baseDomain, db, elapsed, originOf }
  const shares = new SiteShares({
    limits: config.shares,
    appOrigin: config.origin,
    elapsed,
    now,
  })
  const snapshots = new SiteCache({
    ...origins,
    shares,
    log,
    now,
    bytesMax: config.snapshotBytesMax,
    cdnSeconds: config.cdnPageSeconds,
    earlierBytesMax: 2 * config.limits.siteBytesMax,
    onUnreadable: (source) => void missing.ask(source),
  })
  const decodedFiles = new DecodedFiles({
    blobs,
    floor,
    bytesMax: config.decodedBytesMax,
    dir,
  })
  return {
    addresses: new Addresses({ db, elapsed }),
    awaited: new AwaitedSites({ db, now: elapsed }),
    bodies,
    choices: new CodingChoices(),
    decodedFiles,
    decodedStreams: new DecodedStreams(),
    gone: new GoneVersions({ ...origins, now }),
    hosts: new Hosts({ db, elapsed, originOf }),
    missing,
    names: new ServedNames({ baseDomain: config.baseDomain }),
    pages: new OwnPages(config.hosting),
    previews: new Previews(origins),
    recompressor: new Recompressor({ bodies, log }),
    serialized: new SerializedAnswers({ hstsSeconds: config.tls?.hstsSeconds ?? 0, now }),
    shares,
    snapshots,
    takedowns: new Takedowns({ db, elapsed }),
  }
}

/** Newly visited accounts per hour and client. */
const visitedAllowance = { count: 10, windowMs: 60 * 60 * 1000 }

interface DiscoveryOptions extends Pick<Stores, 'db' | 'wakeUps'> {
  readonly awaited: AwaitedSites
  readonly identities: Identities
  readonly elapsed: () => number
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Discovers the owners of sites that are visited by their address (`INGEST=visited`). */
export function discoveryOf({ awaited, elapsed, identities, ...options }: DiscoveryOptions) {
  const allowed = new RateLimiter(visitedAllowance, { now: elapsed })
  const owners = new DiscoverOwner({
    ...options,
    didOfHandle: (handle, within) => identities.didOfHandle(handle, within),
    mayBring: (client) => allowed.take(client) === 0,
  })
  return async (owner: Owner, client: string): Promise<Discovery> => {
    const discovery = await owners.discover(owner, client)
    if (discovery.kind === 'known') awaited.invalidate()
    return discovery
  }
}
