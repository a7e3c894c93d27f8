/** An own (not inherited) field of an untrusted value; undefined if absent. */
export function ownField(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The own fields with these names that an untrusted value has. */
export function ownFields(value: unknown, keys: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const key of keys) {
    const field = ownField(value, key)
    if (field !== undefined) found[key] = field
  }
  return found
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
