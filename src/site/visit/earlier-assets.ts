import { isHashedAsset } from '#http/cache-control.ts'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import type { EarlierAsset, EarlierAssets } from './servable-site.ts'
import type { Snapshot } from './snapshot.ts'

export interface ReplacedVersion {
  readonly files: Snapshot['files']
  /** When another version replaced it; milliseconds since the epoch. */
  readonly replacedAt: number
}

/**
 * Hashed assets of earlier versions that the live version lacks: pages that are still open request them.
 * `replaced` is newest first, and the newer file of a path wins; versions are read one at a time. Stops at
 * `storedBytesMax` in all; files with the same content count once.
 */
export async function findEarlierAssets(
  live: Snapshot['files'],
  replaced: Iterable<ReplacedVersion> | AsyncIterable<ReplacedVersion>,
  storedBytesMax: number,
): Promise<EarlierAssets> {
  const found = new Map<string, EarlierAsset>()
  const hashes = new Set<string>()
  let storedBytes = 0
  let versions = 0
  for await (const { files, replacedAt } of replaced) {
    if (++versions > versionsMax) break
    for (const [path, file] of files) {
      if (live.has(path) || found.has(path) || !isHashedAsset(path)) continue
      if (!hashes.has(file.hash)) storedBytes += file.storedBytes
      if (storedBytes > storedBytesMax) return found
      hashes.add(file.hash)
      found.set(path, { file, until: replacedAt + replacedVersionMs })
    }
  }
  return found
}
