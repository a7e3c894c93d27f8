import { expect, test } from 'bun:test'
import { signatureFields } from './sign-delivery.ts'
import { keyOfSecret, newWebhookSecret } from './webhook-secret.ts'

test('deliveries are signed as Standard Webhooks says', () => {
  // The example of https://github.com/standard-webhooks/standard-webhooks, "Signature scheme".
  const signed = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  }
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  expect(signatureFields(signed, [secret])).toEqual({
    'webhook-id': signed.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  })
  const both = signatureFields(signed, [newWebhookSecret(), secret])['webhook-signature']
  expect(both).toEndWith(` ${signature}`)
})

test('secrets have 32 bytes, and are all different', () => {
  const [one, other] = [newWebhookSecret(), newWebhookSecret()]
  expect(one).toMatch(/^whsec_[\w+/]{43}=$/)
  expect([keyOfSecret(one).length, one === other]).toEqual([32, false])
})
