/** Makes the JSON of one value, piece by piece, when its turn comes. */
export type JsonPieces = () => AsyncIterable<string>

/**
 * The JSON of an object, piece by piece. An item of a list that is a function makes its own JSON: what would be
 * too much to have in memory at once.
 */
export async function* jsonObject(
  fields: Readonly<Record<string, unknown>>,
): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (Array.isArray(value)) yield* jsonList(value)
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

const isPieces = (item: unknown): item is JsonPieces => typeof item === 'function'
