/** At most `bytesMax` bytes as a string; the rest is not read. */
export async function startOf(
  content: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= bytesMax) break
  }
  return Buffer.concat(chunks).toString('utf8', 0, bytesMax)
}
