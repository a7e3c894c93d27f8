/** A field of a value of unknown shape; `undefined` where there is none. Inherited ones do not count. */
export function ownField(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The fields of these names that a value of unknown shape has. */
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
