import { join } from 'node:path'
import type { StoredFiles } from '#cli/preview/stored-files.ts'
import { serveSite } from '#edge/edge.ts'
import { Bodies } from '#edge/files/bodies.ts'
import { CodingChoices } from '#edge/files/codings.ts'
import { DecodedFiles } from '#edge/files/decoded-files.ts'
import { DecodedStreams } from '#edge/files/decoded-streams.ts'
import { Recompressor } from '#edge/files/recompressor.ts'
import { canonicalHost } from '#edge/names/route.ts'
import { OwnPages, plainPage } from '#edge/pages.ts'
import { SiteInMemory } from '#edge/site-in-memory.ts'
import type { Log } from '#observe/log.ts'
import { type ServableSite, servableSite } from '#site/visit/servable-site.ts'
import type { Snapshot } from '#site/visit/snapshot.ts'

const bodyBytesMax = 64 * 1024 * 1024
/** On disk, in addition to the copies of the folder's files. */
const decodedBytesMax = 1024 ** 3
/** Answers are cached by host, and every host is the site's. */
const answerBytesMax = 16 * 1024 * 1024

interface PreviewEdge {
  /** Visitors get this version from now on. */
  show(snapshot: Snapshot): void
  answer(request: Request): Response | Promise<Response>
}

/** Names of this machine. */
const ownHost = /^(?:127\.0\.0\.1|\[::1\]|(?:[^.]+\.)*localhost)$/

/** The service's edge with one site, on every name of this machine; pages of other sites cannot read it. */
export function openPreviewEdge(
  { blobs, dir }: Pick<StoredFiles, 'blobs' | 'dir'>,
  log: Log,
): PreviewEdge {
  const bodies = new Bodies({ blobs, bytesMax: bodyBytesMax })
  let shown: SiteInMemory | null = null
  const context = {
    bodies,
    log,
    now: Date.now,
    choices: new CodingChoices(),
    decodedFiles: new DecodedFiles({ blobs, dir: join(dir, 'decoded'), bytesMax: decodedBytesMax }),
    decodedStreams: new DecodedStreams(),
    recompressor: new Recompressor({ bodies, log }),
    awaited: { has: () => Promise.resolve(false) },
    clientOf: () => 'this machine',
    canOpenFile: () => true,
    networkOf: () => 'this machine',
    visitorOf: () => ({ network: 'this machine', userAgent: '', country: null }),
    countryOf: () => null,
    missing: { arrival: () => Promise.resolve(false) },
    pages: new OwnPages(null),
    snapshots: { get: () => shown ?? Promise.resolve(null) },
    takedowns: { get: () => Promise.resolve(null) },
    gone: { get: () => Promise.resolve(null) },
  }
  const open = (site: ServableSite): void => {
    let bytes = 0
    shown = new SiteInMemory(site, (more) => {
      bytes += more
      if (bytes > answerBytesMax) open(site)
    })
  }
  return {
    show: (snapshot) => open(servableSite(snapshot)),
    answer(request) {
      const host = canonicalHost(request.headers.get('host'))
      if (host === null) return plainPage(400, 'Bad request')
      // DNS rebinding: an attacker's domain may resolve to this machine, so that its page has the same origin.
      if (!ownHost.test(host)) return plainPage(421, 'Only at an address of this machine')
      if (isFetchedByOthers(request)) return plainPage(403, 'Only for pages of this machine')
      // As on the site's own address: what may be said about a whole domain counts on an owner's own only.
      const site = {
        kind: 'site',
        host,
        label: 'preview',
        isUnderBaseDomain: true,
        shows: 'live',
      } as const
      return serveSite(site, request, context)
    },
  }
}

// Published sites can be read by every page (CORS); an unpublished one must not be readable by other sites.
// Following a link is harmless: the page with the link does not see the answer.
function isFetchedByOthers({ headers }: Request): boolean {
  return (
    headers.get('sec-fetch-site') === 'cross-site' && headers.get('sec-fetch-mode') !== 'navigate'
  )
}
