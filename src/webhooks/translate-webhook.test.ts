import { describe, expect, test } from 'bun:test'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { parseForeignWebhook } from './foreign-webhook.ts'
import { translateWebhook } from './translate-webhook.ts'

// Records as somebody writes them to place.wisp.v2.wh, after its published lexicon.

const url = 'https://hooks.example/a'
const record = (facts: object = {}) => ({
  $type: 'place.wisp.v2.wh',
  scope: { aturi: `at://${alice}/place.wisp.fs` },
  url,
  createdAt: '2026-01-02T03:04:05.678Z',
  ...facts,
})

describe('a record', () => {
  test('says what its network’s service makes of it', () => {
    expect(parseForeignWebhook(record())).toEqual({
      url,
      scope: `at://${alice}/place.wisp.fs`,
      hasBacklinks: false,
      recordEvents: ['create', 'update', 'delete'],
      secret: null,
      isSecretElsewhere: false,
      isEnabled: true,
    })
    expect(
      parseForeignWebhook(record({ events: [], secret: 's', secretId: 'mine' })),
    ).toMatchObject({
      recordEvents: ['create', 'update', 'delete'],
      secret: null,
      isSecretElsewhere: true,
    })
    expect(
      parseForeignWebhook(record({ events: ['delete', 'create'], secret: 's', enabled: false })),
    ).toMatchObject({ recordEvents: ['create', 'delete'], secret: 's', isEnabled: false })
  })

  const others: readonly unknown[] = [
    null,
    'text',
    [],
    {},
    record({ $type: 'place.sitehost.fs' }),
    record({ scope: undefined }),
    record({ scope: `at://${alice}` }),
    record({ scope: { aturi: 7 } }),
    record({ scope: { aturi: `at://${alice}/${'x'.repeat(2_048)}` } }),
    record({ scope: { aturi: `at://${alice}`, backlinks: 'yes' } }),
    record({ url: null }),
    record({ url: `https://hooks.example/${'x'.repeat(2_048)}` }),
    record({ events: 'create' }),
    record({ events: ['publish'] }),
    record({ events: Array.from({ length: 4 }, () => 'create') }),
    record({ secret: 'x'.repeat(257) }),
    record({ secret: ['x'] }),
    record({ secretId: 'x'.repeat(513) }),
    record({ enabled: 'no' }),
    { ...record(), scope: { __proto__: null } },
  ]
  test.each(others.map((input, n) => [n, input]))('%d that is no webhook is none', (_, input) => {
    expect(parseForeignWebhook(input)).toBeNull()
  })
})

function translated(facts: object) {
  const webhook = parseForeignWebhook(record(facts))
  if (webhook === null) throw new TypeError('not a webhook')
  return translateWebhook(webhook, alice)
}

describe('a scope', () => {
  test.each([
    ['', null, ['other-records']],
    ['/place.wisp.fs', null, []],
    ['/place.wisp.fs/blog', 'blog', []],
    ['/place.wisp.*', null, ['other-records']],
    ['/place.wisp.*/blog', 'blog', ['other-records']],
    ['/*', null, ['other-records']],
  ])('at://<account>%s becomes one for sites', (path, rkey, notes) => {
    const translation = translated({ scope: { aturi: `at://${alice}${path}` } })
    expect<object>(translation).toEqual({
      problem: null,
      rkey,
      events: ['site.published', 'site.deleted'],
      notes,
    })
  })

  test.each([
    [`at://${bob}/place.wisp.fs`, 'other-account'],
    [`at://${alice}x`, 'other-account'],
    ['at://alice.example/place.wisp.fs', 'other-account'],
    [`${alice}/place.wisp.fs`, 'other-account'],
    [`at://${alice}/place.wisp.fs/a/b`, 'other-account'],
    [`at://${alice}/`, 'other-account'],
    [`at://${alice}/place.wisp.settings/blog`, 'not-about-sites'],
    [`at://${alice}/place.wisp.f`, 'not-about-sites'],
    [`at://${alice}/app.bsky.*`, 'not-about-sites'],
    [`at://${alice}/place.sitehost.fs`, 'not-about-sites'],
    [`at://${alice}/place.wisp.fs/a b`, 'not-about-sites'],
    [`at://${alice}/place.wisp.fs/..`, 'not-about-sites'],
    [`at://${alice}/${'*'.repeat(1_900)}`, 'not-about-sites'],
  ] as const)('%p does not', (aturi, problem) => {
    expect(translated({ scope: { aturi } })).toEqual({ problem })
  })

  test('with backlinks, and secrets, are noted', () => {
    const scope = { aturi: `at://${alice}/place.wisp.fs`, backlinks: true }
    expect(translated({ scope, secret: 's' })).toMatchObject({
      notes: ['backlinks', 'public-secret'],
    })
    expect(translated({ secret: 's', secretId: 'mine' })).toMatchObject({
      notes: ['secret-elsewhere'],
    })
  })
})

test.each([
  [['create'], ['site.published'], ['created-or-updated']],
  [['update'], ['site.published'], ['created-or-updated']],
  [['create', 'update'], ['site.published'], []],
  [['delete'], ['site.deleted'], []],
  [['update', 'delete'], ['site.published', 'site.deleted'], ['created-or-updated']],
] as const)('the events %j become %j', (events, ours, notes) => {
  expect(translated({ events })).toMatchObject({ events: ours, notes })
})
