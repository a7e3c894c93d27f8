/** One line for programs that start us: the service is ready, with its addresses. */
export function printReady(ready: object): void {
  console.log(`ready ${JSON.stringify(ready)}`)
}

/** The rest of the line that `printReady` wrote, from a child's output; null when the output ends first. */
export async function readReady(output: ReadableStream<Uint8Array>): Promise<unknown> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true })
    const line = /^ready (.*)\n/m.exec(text)?.[1]
    if (line !== undefined) return JSON.parse(line)
  }
  return null
}
