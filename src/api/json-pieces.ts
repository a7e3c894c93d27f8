/** The JSON of an object, piece by piece. A generator as a value yields its own JSON when it is written. */
export async function* objectPieces(
  fields: Readonly<Record<string, unknown>>,
): AsyncGenerator<string> {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(name)}:`
    yield* jsonPieces(value)
    separator = ','
  }
  yield '}'
}

async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  if (isGenerator(value)) yield* value
  else if (!Array.isArray(value)) yield JSON.stringify(value)
  else {
    let separator = '['
    for (const item of value) {
      yield separator
      yield* jsonPieces(item)
      separator = ','
    }
    yield value.length === 0 ? '[]' : ']'
  }
}

const isGenerator = (value: unknown): value is AsyncGenerator<string> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value
