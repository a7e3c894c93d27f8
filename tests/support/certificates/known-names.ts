import type { KnownNames, ServedNames } from '#edge/names/served-names.ts'
import type { VersionName } from '#edge/names/version-names.ts'

/** What `know` takes. */
export function knownOf(
  served: ServedNames,
  names: Iterable<string> = [],
  ofVersions: Iterable<VersionName> = [],
): KnownNames {
  const known = served.empty()
  for (const name of names) known.add(name)
  for (const version of ofVersions) known.addVersion(version)
  return known
}
