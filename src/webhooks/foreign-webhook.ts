import { z } from 'zod'
import { foreignWebhookCollection } from '#site/namespace.ts'

/** A webhook as a record of place.wisp has it: about records of whatever collections, not about sites alone. */
export interface ForeignWebhook {
  readonly url: string
  /** The `at://` address of an account, a collection or a record. */
  readonly scope: string
  /** Records of other accounts that name the scope count, too. */
  readonly hasBacklinks: boolean
  readonly recordEvents: readonly RecordEvent[]
  /** Null: none, or one that only the service of that network knows. */
  readonly secret: string | null
  readonly isSecretElsewhere: boolean
  readonly isEnabled: boolean
}

const recordEvents = ['create', 'update', 'delete'] as const
type RecordEvent = (typeof recordEvents)[number]

/** Those of its lexicon; a secret's name is a record key there. */
const limits = { addressCharsMax: 2_048, secretCharsMax: 256, secretIdCharsMax: 512 }

/** Strict, as the service of that network is: it sends nothing for a record that does not fit its lexicon. */
const foreignWebhook = z
  .object({
    $type: z.literal(foreignWebhookCollection).optional(),
    scope: z.object({
      aturi: z.string().max(limits.addressCharsMax),
      backlinks: z.boolean().default(false),
    }),
    url: z.string().max(limits.addressCharsMax),
    events: z.array(z.enum(recordEvents)).max(recordEvents.length).default([]),
    secret: z.string().max(limits.secretCharsMax).default(''),
    secretId: z.string().max(limits.secretIdCharsMax).default(''),
    enabled: z.boolean().default(true),
  })
  .transform(
    ({ enabled, events, scope, secret, secretId, url }): ForeignWebhook => ({
      url,
      scope: scope.aturi,
      hasBacklinks: scope.backlinks,
      // No event means all of them there.
      recordEvents: recordEvents.filter((each) => events.length === 0 || events.includes(each)),
      // `secretId` takes precedence there.
      secret: secret === '' || secretId !== '' ? null : secret,
      isSecretElsewhere: secretId !== '',
      isEnabled: enabled,
    }),
  )

/** Parses an untrusted record. Null for one that is no webhook. Never throws. */
export function parseForeignWebhook(record: unknown): ForeignWebhook | null {
  return foreignWebhook.safeParse(record).data ?? null
}
