type Names = ReadonlyMap<string, unknown>

/**
 * The name as it is among these, by bytes or else by NFC: one accent has two spellings, and people
 * cannot see which one a link has. The names must not change after the first question.
 */
export function findName(names: Names, name: string): string | undefined {
  if (names.has(name)) return name
  const composed = name.normalize('NFC')
  return names.has(composed) ? composed : decomposedNames(names).get(composed)
}

/**
 * Those that are not in NFC themselves (macOS decomposes accents), by the NFC form that a link to them
 * has. Empty for nearly every site, so it is made on the first miss and kept as long as the names.
 */
function decomposedNames(names: Names): ReadonlyMap<string, string> {
  const known = decomposed.get(names)
  if (known !== undefined) return known
  const made = new Map<string, string>()
  for (const name of names.keys()) {
    const composed = name.normalize('NFC')
    if (composed !== name) made.set(composed, name)
  }
  decomposed.set(names, made)
  return made
}

const decomposed = new WeakMap<Names, ReadonlyMap<string, string>>()
