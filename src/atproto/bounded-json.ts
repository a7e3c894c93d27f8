/** Twenty manifests of a thousand files, each with every field that there is, have fewer than half of it. */
export const jsonValuesMax = 1_000_000

/** A server's answer has more values than anybody needs. */
export class JsonValuesError extends Error {
  override readonly name = 'JsonValuesError'

  constructor(valuesMax: number) {
    super(`more than ${valuesMax} values`)
  }
}

/**
 * The same answer, which fails with JsonValuesError while it is read where its JSON has too many values: parsed,
 * each takes some 80 bytes, and 32 MiB of brackets took 1.3 GB and two seconds of everybody's time (Bun 1.4.5).
 */
export function boundedJson(response: Response, valuesMax = jsonValuesMax): Response {
  if (response.body === null) return response
  const counter = new ValueCounter()
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      counter.add(chunk)
      if (counter.values > valuesMax) throw new JsonValuesError(valuesMax)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counted), response)
}

const [quote, backslash] = [0x22, 0x5c]
/** Each begins a value at most: `,`, `[` and `{`. */
const [comma, list, object] = [0x2c, 0x5b, 0x7b]

/** Counts the values of a JSON text, a few too many, in pieces cut anywhere. */
class ValueCounter {
  values = 0
  #isInText = false
  #isEscaped = false

  add(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInText) {
        if (byte === quote) this.#isInText = false
        else if (byte === backslash) this.#isEscaped = true
      } else if (byte === quote) this.#isInText = true
      else if (byte === comma || byte === list || byte === object) this.values += 1
    }
  }
}
