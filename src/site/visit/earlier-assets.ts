import { versionsMax } from '#site/limits.ts'
import { isHashedAsset } from './cache-control.ts'
import type { EarlierAsset, EarlierAssets } from './servable-site.ts'
import type { Snapshot } from './snapshot.ts'

/** Of a version that another one has replaced. */
export interface EarlierFiles {
  readonly files: Snapshot['files']
  /** Visitors get them until then, in milliseconds since the epoch. */
  readonly until: number
}

/**
 * Hashed assets of earlier versions that the live version lacks: pages that are still open request them.
 * `earlier` is newest first, and the newer file of a path wins; versions are read one at a time. Stops at
 * `storedBytesMax` in all; files with the same content count once.
 */
export async function findEarlierAssets(
  live: Snapshot['files'],
  earlier: Iterable<EarlierFiles> | AsyncIterable<EarlierFiles>,
  storedBytesMax: number,
): Promise<EarlierAssets> {
  const found = new Map<string, EarlierAsset>()
  const hashes = new Set<string>()
  let storedBytes = 0
  let versions = 0
  for await (const { files, until } of earlier) {
    if (++versions > versionsMax) break
    for (const [path, file] of files) {
      if (live.has(path) || found.has(path) || !isHashedAsset(path)) continue
      if (!hashes.has(file.hash)) storedBytes += file.storedBytes
      if (storedBytes > storedBytesMax) return found
      hashes.add(file.hash)
      found.set(path, { file, until })
    }
  }
  return found
}
