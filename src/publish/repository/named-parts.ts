import { partUri } from '#site/record/part.ts'
import type { Did } from '#site/site-address.ts'

/**
 * The addresses of the parts that a record names, read from its JSON without parsing it. Null if the JSON escapes what
 * addresses have: then it may name others.
 */
export function namedParts(json: Uint8Array, did: Did): string[] | null {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString('latin1')
  if (/\\(?:\/|u00[0-7])/i.test(text)) return null
  return text
    .split(`"${partUri(did, '')}`)
    .slice(1)
    .map((rest) => copyOf(partUri(did, rest.slice(0, rest.indexOf('"')))))
}

/** Without it, a name keeps the whole record in memory that it was cut from. */
const copyOf = (name: string): string => Buffer.from(name, 'latin1').toString('latin1')
