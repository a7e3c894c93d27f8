import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerVisitor } from '#edge/edge.ts'
import { Bodies } from '#edge/files/bodies.ts'
import { CodingChoices } from '#edge/files/codings.ts'
import { DecodedFiles } from '#edge/files/decoded-files.ts'
import { DecodedStreams } from '#edge/files/decoded-streams.ts'
import { Recompressor } from '#edge/files/recompressor.ts'
import type { FileContext } from '#edge/files/respond-file.ts'
import { OwnPages } from '#edge/pages.ts'
import { SiteInMemory } from '#edge/site-in-memory.ts'
import type { Shows } from '#site/visit/place.ts'
import { servableSite } from '#site/visit/servable-site.ts'
import type { Snapshot, SnapshotFile } from '#site/visit/snapshot.ts'
import { recordingLog } from '#tests/support/api.ts'
import { type SampleFile, snapshotOf, storedFile } from './served-site.ts'

/** A site whose stored bytes are in memory, without store and network. */
/** As the service says it for an application at `http://…`. */
export const originOf = (host: string): string => `http://${host}`

export interface VisitedSite {
  readonly known: SiteInMemory
  readonly context: FileContext & { readonly recompressor: Recompressor }
  /** What the blob store has, by hash. */
  readonly stored: Map<string, Blob>
  /** Hashes of the blobs that were read, in order. */
  readonly reads: string[]
  /** Where large files are decoded; made when the first one is, and to be removed then. */
  readonly scratch: string
}

export function visitedSite(
  samples: Readonly<Record<string, SampleFile>>,
  facts: Partial<Snapshot> = {},
  bytesMax = 100_000_000,
): VisitedSite {
  const stored = new Map<string, Blob>()
  const files: Record<string, SnapshotFile> = {}
  for (const [path, sample] of Object.entries(samples)) {
    const made = storedFile(sample)
    files[path] = made.file
    stored.set(made.file.hash, new Blob([made.stored]))
  }
  const reads: string[] = []
  const open = async (hash: string): Promise<Blob | null> => {
    reads.push(hash)
    return stored.get(hash) ?? null
  }
  const scratch = join(tmpdir(), `sitehost-edge-${crypto.randomUUID()}`)
  const bodies = new Bodies({ blobs: { open }, bytesMax })
  const context = {
    bodies,
    decodedFiles: new DecodedFiles({
      ...{ blobs: { open }, bytesMax },
      dir: scratch,
    }),
    decodedStreams: new DecodedStreams(),
    choices: new CodingChoices(),
    clientOf: () => '192.0.2.1',
    canOpenFile: () => true,
    networkOf: () => '192.0.2.1',
    visitorOf: () => ({ network: '192.0.2.1', userAgent: 'a browser', country: null }),
    missing: { arrival: async () => false },
    pages: new OwnPages(null),
    recompressor: new Recompressor({ bodies, log: recordingLog([]) }),
  }
  return {
    known: new SiteInMemory(servableSite(snapshotOf(files, facts)), () => undefined),
    context,
    stored,
    reads,
    scratch,
  }
}

export interface VisitOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly host?: string
  readonly isUnderBaseDomain?: boolean
  readonly shows?: Shows
  readonly signal?: AbortSignal
}

/** Asks for this path of the site, as a visitor of it would. */
export function visitSite(
  { known, context }: { readonly known: SiteInMemory; readonly context: FileContext },
  path: string,
  {
    method = 'GET',
    headers = {},
    host = 'blog.test',
    isUnderBaseDomain = true,
    shows = 'live',
    signal,
  }: VisitOptions = {},
): Response | Promise<Response> {
  const request = new Request(new URL(path, `http://${host}`), {
    method,
    headers,
    ...(signal && { signal }),
  })
  const site = { kind: 'site' as const, host, label: 'none', isUnderBaseDomain, shows }
  return answerVisitor(site, request, known, { ...context, countryOf: () => null, now: () => 0 })
}

/** All that a visitor sees of an answer. */
export interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export async function seen(answer: Response | Promise<Response>): Promise<Seen> {
  const response = await answer
  const body = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: Object.fromEntries(response.headers), body }
}
