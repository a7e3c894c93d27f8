/**
 * The blob store keys that an encoded snapshot of any format contains, a damaged one included, so that their blobs
 * are kept. A file name that looks like a hash yields an extra key, which is harmless.
 */
export function* hashesNamedIn(snapshot: string): Generator<string> {
  for (const [quoted] of snapshot.matchAll(/"[0-9a-f]{64}"/g)) yield quoted.slice(1, -1)
}
