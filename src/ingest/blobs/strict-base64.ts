import { UndecodableBlobError } from './undecodable-blob.ts'

/** The alphabet of RFC 4648 §4, padding at the end and only there. Throws UndecodableBlobError for anything else. */
export async function* decodeBase64(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + Buffer.from(chunk).toString('latin1')
    // The last four characters are kept back: only they may have padding.
    const whole = Math.max(0, text.length - 4) & ~3
    rest = text.slice(whole)
    if (whole > 0) yield decodeQuads(text.slice(0, whole), /^[A-Za-z0-9+/]*$/)
  }
  if (rest.length > 0) {
    yield decodeQuads(rest, /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/)
  }
}

function decodeQuads(text: string, form: RegExp): Uint8Array {
  if (!form.test(text)) throw new UndecodableBlobError('is not the base64 that the manifest says')
  return Buffer.from(text, 'base64')
}
