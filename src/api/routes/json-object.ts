/** Makes the JSON of one value, piece by piece, when its turn comes. */
export type JsonPieces = () => AsyncIterable<string>

/**
 * The JSON of an object, piece by piece. A field, or an item of a list, that is a function makes its own JSON: what
 * would be too much to have in memory at once, or is known only when its turn comes.
 */
export async function* jsonObject(
  fields: Readonly<Record<string, unknown>>,
): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (Array.isArray(value)) yield* jsonList(value)
    else if (isPieces(value)) yield* value()
    else yield JSON.stringify(value)
  }
  yield separator === '{' ? '{}' : '}'
}

async function* jsonList(items: readonly unknown[]): AsyncGenerator<string> {
  let separator = '['
  for (const item of items) {
    yield separator
    separator = ','
    if (isPieces(item)) yield* item()
    else yield JSON.stringify(item)
  }
  yield separator === '[' ? '[]' : ']'
}

const isPieces = (value: unknown): value is JsonPieces => typeof value === 'function'
