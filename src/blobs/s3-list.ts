import { z } from 'zod'

/** A page of keys, 1000 of them at most, has some 400 KiB. */
export const listBytesMax = 4 * 1024 * 1024

export interface ListPage {
  readonly keys: readonly string[]
  /** Null: this is the last page. */
  readonly continuation: string | null
}

/** An element without attributes and children is its text; attributes make it an object. */
const text = z
  .union([z.string(), z.object({ '#text': z.string() })])
  .transform((value) => (typeof value === 'string' ? value : value['#text']))

const entry = z.object({ Key: text })

const listing = z.object({
  ListBucketResult: z.union([
    z.literal('').transform(() => ({})),
    z.object({
      IsTruncated: text.optional(),
      NextContinuationToken: text.optional(),
      // One element is an object, several are an array.
      Contents: z.union([z.array(entry), entry.transform((only) => [only])]).optional(),
    }),
  ]),
})

/** Reads an answer to ListObjectsV2; null if it is none. `xml` is at most `listBytesMax` long. */
export function parseListPage(xml: string): ListPage | null {
  // Entities of a document type grow without limit.
  if (xml.includes('<!DOCTYPE')) return null
  const parsed = listing.safeParse(parseXml(xml))
  if (!parsed.success) return null
  const { Contents, IsTruncated, NextContinuationToken }: Listed = parsed.data.ListBucketResult
  const continuation = IsTruncated === 'true' ? (NextContinuationToken ?? '') : null
  // Without a token the next request would return the same page.
  if (continuation === '') return null
  return { keys: (Contents ?? []).map(({ Key }) => Key), continuation }
}

interface Listed {
  readonly Contents?: readonly { readonly Key: string }[] | undefined
  readonly IsTruncated?: string | undefined
  readonly NextContinuationToken?: string | undefined
}

/** The code in an error’s document, such as `SlowDown`; null if there is none. */
export function errorCodeIn(xml: string): string | null {
  return /<Code>\s*([A-Za-z0-9.]{1,64})\s*<\/Code>/.exec(xml)?.[1] ?? null
}

/** Null for what is no XML. */
function parseXml(xml: string): unknown {
  try {
    return Bun.XML.parse(xml)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return null
    throw error
  }
}
