import { z } from 'zod'
import type { Discovery } from '#edge/names/discover-owner.ts'
import { parseDid } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { parseVersionKey } from '#site/version-key.ts'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import type { TrafficTotal } from '#store/sites/traffic.ts'

/** Of a question; an edge leaves out what does not fit. */
export const questionBytesMax = 16 * 1024 * 1024
/** Accounts of a question. */
export const visitedDidsMax = 5_000

const parsedBy = <Parsed>(parse: (text: string) => Parsed | null) =>
  z.string().transform((text, context) => {
    const parsed = parse(text)
    if (parsed !== null) return parsed
    context.addIssue('not readable')
    return z.NEVER
  })

const did = parsedBy(parseDid)
const siteName = parsedBy(parseAnySiteName)
const count = z.number().int()
const site = z.object({ did, site: siteName })

/** What an edge of its own asks another instance for, because it writes nothing itself; as JSON. */
export const edgeQuestionSchema = z.discriminatedUnion('kind', [
  /** Adds to what is stored of a day; the answer is what the rows have then. */
  z.object({
    kind: z.literal('count'),
    day: count,
    traffic: z.array(
      z.object({
        did,
        site: z.union([z.literal(''), siteName]),
        requests: count,
        bytes: count,
        refused: count,
      }),
    ),
    visits: z.array(
      site.extend({
        kind: z.enum(['page', 'referrer', 'country', 'status']),
        value: z.string(),
        count,
      }),
    ),
    visitors: z.array(site.extend({ sketch: parsedBy(VisitorSketch.decode) })),
  }),
  z.object({ kind: z.literal('salt'), day: count }),
  z.object({ kind: z.literal('visited'), dids: z.array(did).max(visitedDidsMax) }),
  /** Has ingest read what lacks blobs. */
  z.object({
    kind: z.literal('missing'),
    did,
    name: siteName,
    versionKey: parsedBy(parseVersionKey).nullable(),
  }),
  z.object({
    kind: z.literal('discover'),
    owner: z.union([z.object({ did }), z.object({ handle: z.string() })]),
    client: z.string(),
  }),
])

export type EdgeQuestion = z.input<typeof edgeQuestionSchema>

export interface EdgeAnswers {
  readonly count: readonly TrafficTotal[]
  readonly salt: string
  readonly visited: null
  readonly missing: null
  readonly discover: Discovery
}
