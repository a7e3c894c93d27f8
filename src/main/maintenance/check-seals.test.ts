import { expect, test } from 'bun:test'
import { openClientKeys } from '#main/service/open-oauth.ts'
import type { Db } from '#store/database/database.ts'
import { createWebhook, listWebhooks, replaceSecret } from '#store/webhooks/webhooks.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, newWebhook } from '#tests/support/database/sample-rows.ts'
import { openWebhookSeal, webhookContext } from '#webhooks/webhook-secret.ts'
import { checkSeals } from './check-seals.ts'

const [first, second] = ['the first secret of all, it is long', 'the second secret, it is long too']

/** What is logged at a start with these secrets. */
async function told(db: Db, secrets: readonly [string, ...string[]]): Promise<string[]> {
  const lines: string[] = []
  const say = (level: string) => (message: string) => void lines.push(`${level}: ${message}`)
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const sealAnew = async () => await (await openClientKeys({ db, secrets })).sealAnew()
  const webhookSeal = await openWebhookSeal(secrets)
  await checkSeals({ db, log, oauth: { sealAnew }, secrets, webhookSeal })
  return lines
}

test('a secret that was replaced without the one before is said to be another', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  expect(await told(db, [first])).toEqual([])
  await (await openClientKeys({ db, secrets: [first] })).inUse()
  expect(await told(db, [first])).toEqual([])
  const [lost, ...more] = await told(db, [second])
  expect(lost).toStartWith('warn: keys and sign-ins were sealed with another SECRET_KEY')
  expect(more).toEqual([])
  expect(await told(db, [second, first])).toEqual([
    'info: everything is sealed with the newest SECRET_KEY',
  ])
  expect(await told(db, [second])).toEqual([])
  expect(await told(db, [first])).toHaveLength(1)
})

test('secrets of webhooks are sealed with the newest one, unless no key opens them', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const seal = await openWebhookSeal([first])
  const sealedSecret = await seal.seal('whsec_a', webhookContext('a'))
  for (const webhook of [newWebhook({ id: 'a', sealedSecret }), newWebhook({ id: 'lost' })]) {
    await createWebhook(db, webhook, { webhooksMax: 9, now: 1 })
  }
  const replaced = await seal.seal('whsec_b', webhookContext('a'))
  await replaceSecret(db, { did: alice, id: 'a' }, replaced, { formerUntil: 9, now: 1 })
  await told(db, [second, first])
  const stored = new Map((await listWebhooks(db, alice)).map((each) => [each.id, each]))
  const newest = await openWebhookSeal([second])
  const opened = (sealed: string | null = null) => newest.open(sealed ?? '', webhookContext('a'))
  expect(await opened(stored.get('a')?.sealedSecret)).toBe('whsec_b')
  expect(await opened(stored.get('a')?.sealedFormer)).toBe('whsec_a')
  expect(stored.get('lost')?.sealedSecret).toBe('sealed')
})
