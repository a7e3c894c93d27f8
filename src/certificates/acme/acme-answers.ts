import { z } from 'zod'

/** RFC 8555 §7.1.1; `meta` is worth nothing where it has another form. */
export const directorySchema = z.object({
  newNonce: z.url(),
  newAccount: z.url(),
  newOrder: z.url(),
  /** RFC 9773. */
  renewalInfo: z.url().optional().catch(undefined),
  meta: z
    .object({
      caaIdentities: z.array(z.string()).max(32).catch([]),
      /** Names and descriptions (draft-aaron-acme-profiles). */
      profiles: z.record(z.string(), z.unknown()).catch({}),
    })
    .catch({ caaIdentities: [], profiles: {} }),
})

export const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()).max(16),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: z.unknown().optional(),
})

export const authorizationSchema = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z
    .array(
      z.object({
        type: z.string(),
        url: z.url(),
        token: z.string().optional(),
        error: z.unknown().optional(),
      }),
    )
    .max(16),
})

const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))

/** RFC 9773 §4.2. */
export const renewalInfoSchema = z
  .object({ suggestedWindow: z.object({ start: instant, end: instant }) })
  .transform(({ suggestedWindow }) => suggestedWindow)

export type AcmeDirectory = z.infer<typeof directorySchema>
export type AcmeOrder = z.infer<typeof orderSchema> & { readonly url: string }
export type AcmeAuthorization = z.infer<typeof authorizationSchema>
/** When the authority wants a certificate to be renewed, in milliseconds. */
export type RenewalWindow = z.infer<typeof renewalInfoSchema>
