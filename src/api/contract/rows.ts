import { z } from 'zod'
import { certificateProblems, certificateStates } from '#site/certificate-state.ts'
import { json } from './answers.ts'

export const did = z.string().meta({ examples: ['did:plc:ewvi7nxzyoun6zhxrhs64oiz'] })

export const siteName = z.string().meta({
  description: 'The name of a site, which is its record key',
  examples: ['blog'],
})

export const count = z.int().nonnegative()

export const instant = z.string().meta({ description: 'ISO 8601, in UTC', format: 'date-time' })

export const siteRkey = siteName.nullable().describe('One of the account’s sites; null: none')

export const domainId = z.string().describe('Of a custom domain, as `add` answered it')

export const label = z.string().meta({
  description: 'The first piece of a name below the base domain',
  examples: ['alice'],
})

export const done = json('Done', z.strictObject({ success: z.literal(true) }))

const primary = z.literal(true).optional().describe('The site’s other names redirect to this one')

/** When something was made here, and last changed. */
export const times = { createdAt: instant, updatedAt: instant }

/** A certificate that the service orders, or shows from files. */
export const certificateRow = z.strictObject({
  state: z.enum(certificateStates),
  validUntil: instant.nullable().describe('Null until one was issued'),
  nextTryAt: instant
    .nullable()
    .describe('When it is ordered or renewed; null: now, or not by this service'),
  problem: z
    .strictObject({
      kind: z.enum(certificateProblems),
      detail: z
        .string()
        .nullable()
        .describe('The certificate authority’s words, or the DNS record in the way'),
      advice: z.string().describe('What is wrong and what to do, in one sentence'),
    })
    .nullable()
    .describe('Why none was issued, or why it is not renewed'),
})

export type CertificateRow = z.output<typeof certificateRow>

export const certificate = certificateRow
  .nullable()
  .optional()
  .describe(
    'Null: there is none, and none is ordered. Absent: not this service keeps certificates, but its TLS front',
  )

/** A domain of one site. */
export const siteDomainRow = z.union([
  z.strictObject({ type: z.literal('sitehost'), domain: z.string(), primary }),
  z.strictObject({
    type: z.literal('custom'),
    domain: z.string(),
    verified: z.boolean().describe('Not served until it is'),
    pointsHere: z
      .literal(false)
      .optional()
      .describe('The last look-up found its DNS pointing nowhere, or to another host'),
    certificate,
    id: z.string(),
    primary,
  }),
])

export const used = z.strictObject({
  used: count,
  max: count.nullable().describe('Null: no limit'),
})

/** What visitors took today, as the limits count it. */
export const trafficRow = z.strictObject({
  requests: count.describe('Those that were answered'),
  refused: count.describe('Those that were answered with 429'),
  bytes: used,
  warning: z
    .literal([50, 75, 100])
    .nullable()
    .describe('How many percent of the bytes of a day are used, those of the account included'),
})

export type TrafficRow = z.output<typeof trafficRow>

/** A site as its owner sees it (decisions.md §6). */
export const siteRow = z.strictObject({
  rkey: siteName,
  displayName: z.string(),
  uri: z.string().describe('Of its record in the owner’s repository'),
  cid: z.string().nullable().describe('Of the live version; null until one was read'),
  fileCount: count,
  bytes: count,
  url: z.string().describe('The address of its own host'),
  ...times,
  publishedAt: instant.nullable(),
  verifiedAt: instant.nullable().describe('When the signature of its record was last verified'),
  state: z
    .enum(['live', 'unread', 'refused', 'offline'])
    .describe(
      'Offline: it or its account is taken down here. Unread: the account’s server did not send all of the newest version yet. Refused: the newest version is. An earlier one may be live',
    ),
  problems: z.array(z.string()).describe('Why the newest version was rejected, or what to fix'),
  domains: z.array(siteDomainRow),
  primary: z.string().nullable().describe('The name that the others redirect to'),
})

export type SiteRow = z.output<typeof siteRow>

/** A site of another network, as its owner sees it. */
export const foreignSiteRow = siteRow
  .omit({ createdAt: true, updatedAt: true, verifiedAt: true, primary: true })
  .extend({
    name: z
      .string()
      .meta({ description: 'Its name among all sites here', examples: ['place.wisp.fs/blog'] }),
    network: z.string().meta({ examples: ['place.wisp'] }),
    copy: siteName.nullable().describe('A site of the account that has the same files; null: none'),
  })

/** A name below the base domain. */
export const subdomainRow = z.strictObject({
  domain: z.string(),
  rkey: z.string().describe('Empty while it is unmapped'),
})

/** A custom domain as its owner sees it (decisions.md §6). */
export const customDomainRow = z.strictObject({
  id: z.string(),
  domain: z.string(),
  verified: z.boolean(),
  rkey: z.string().nullable().describe('Null while it is unmapped'),
  lastCheckedAt: instant.nullable(),
  createdAt: instant,
  warning: z.string().nullable().describe('What its owner should fix, in one or two sentences'),
  dns: z
    .strictObject({
      txt: z.strictObject({ name: z.string(), value: z.string() }),
      cname: z.strictObject({ name: z.string(), target: z.string() }),
    })
    .describe('The records to set: `txt` proves the owner, `cname` leads visitors here'),
  found: z
    .strictObject({ txt: z.boolean(), cname: z.boolean() })
    .describe('Which of them the last look-up found'),
  lost: z.boolean().describe('It was verified once, and is not served any more'),
  zone: z
    .string()
    .describe('The registrable domain that it belongs to: providers want names without it'),
  certificate,
})
