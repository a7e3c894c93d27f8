type Names = ReadonlyMap<string, unknown>

/** By bytes or else by NFC: accents have two spellings that look the same. `names` must not change after the first call. */
export function findName(names: Names, name: string): string | undefined {
  if (names.has(name)) return name
  const composed = name.normalize('NFC')
  return names.has(composed) ? composed : decomposedNames(names).get(composed)
}

/** Names not in NFC (macOS decomposes accents), by NFC. Made on the first miss and cached as long as `names`. */
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
