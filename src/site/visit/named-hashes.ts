/**
 * The blob store's keys that the text of a snapshot names, of whatever format it is: also what a damaged one
 * names is kept. A file whose name looks like a hash counts as one more, which is no harm.
 */
export function* hashesNamedIn(snapshot: string): Generator<string> {
  for (const [quoted] of snapshot.matchAll(/"[0-9a-f]{64}"/g)) yield quoted.slice(1, -1)
}
