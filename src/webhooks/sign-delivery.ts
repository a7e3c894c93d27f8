import { createHmac } from 'node:crypto'
import { keyOfSecret } from './webhook-secret.ts'

interface Signed {
  readonly id: string
  /** In seconds. */
  readonly timestamp: number
  readonly body: string
}

/**
 * The fields of a signed delivery (https://github.com/standard-webhooks/standard-webhooks, "Webhook Headers"): a signature by each
 * secret, so that a receiver may have either while its secret is replaced.
 */
export function signatureFields({ id, timestamp, body }: Signed, secrets: readonly string[]) {
  const signatures = secrets.map((secret) =>
    createHmac('sha256', keyOfSecret(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  }
}
