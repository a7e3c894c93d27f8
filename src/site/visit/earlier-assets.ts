import { isHashedAsset } from '#http/cache-control.ts'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import type { EarlierAsset, EarlierAssets } from './servable-site.ts'
import type { Snapshot } from './snapshot.ts'

export interface ReplacedVersion {
  readonly files: Snapshot['files']
  /** When another version took its place; milliseconds since the epoch. */
  readonly replacedAt: number
}

/**
 * The hashed assets of earlier versions that the live one has not: what pages that are still open ask
 * for. `replaced` is newest first, and of two that have a path the newer counts; each is let go before the
 * next is asked for. The files together take at most `storedBytesMax`, the same content once; what would go
 * beyond ends the list.
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
