import { createSeal, type Seal } from '#atproto/oauth/seal.ts'

/** Seals the secrets with which deliveries are signed. */
export const openWebhookSeal = (secrets: readonly [string, ...string[]]): Promise<Seal> =>
  createSeal(secrets, 'sitehost webhook secrets')

/** A row copied to another webhook does not open there. */
export const webhookContext = (id: string): string => `webhook ${id}`

const prefix = 'whsec_'
/** Standard Webhooks asks for 24 to 64. */
const secretBytes = 32

/** In the form of Standard Webhooks: `whsec_`, then the key in base64. */
export const newWebhookSecret = (): string =>
  prefix + crypto.getRandomValues(Buffer.alloc(secretBytes)).toString('base64')

/** Standard Webhooks asks for 24 to 64. */
const isSecret = (text: string): boolean =>
  /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) &&
  keyOfSecret(text).length >= 24 &&
  keyOfSecret(text).length <= 64

/** A secret of another service in this form: its bytes are the key, unless it has this form already. */
export const webhookSecretOf = (text: string): string =>
  isSecret(text) ? text : prefix + Buffer.from(text).toString('base64')

export const keyOfSecret = (secret: string): Buffer =>
  Buffer.from(secret.slice(prefix.length), 'base64')
