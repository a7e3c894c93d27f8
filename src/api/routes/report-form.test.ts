import { beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { sentences } from '#api/contract/messages.ts'
import { siteLabel } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listReports } from '#store/moderation/list-reports.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { baseDomain, testApi } from '#tests/support/api.ts'
import { alice, bob, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'

const api = testApi()
const label = siteLabel(siteOf('blog'))
const fields = { url: `https://${label}.${baseDomain}/`, kind: 'other', text: 'spam' }
const ofForm = 'application/x-www-form-urlencoded'

beforeEach(async () => {
  await upsertAccount(api().db, { did: alice }, 1)
  await recordVersion(api().db, newVersion({ label }), 1)
})

const send = (body: string, type = ofForm) =>
  api().request('/report', { method: 'POST', body, headers: { 'content-type': type } })
const sendFields = (changed: Partial<typeof fields> = {}) =>
  send(new URLSearchParams({ ...fields, ...changed }).toString())

async function sendTen(): Promise<void> {
  for (let n = 0; n < 10; n++) expect((await sendFields()).status).toBe(200)
}

describe('a report that is not accepted: a person reads why, and what to do,', () => {
  const facts: [why: string, prepare: () => Promise<void>, text: string, expected: string[]][] = [
    [
      '429',
      sendTen,
      'spam',
      ['429', '60', 'Too many reports from your network. Try again in 60 seconds.'],
    ],
    ['429', fillNetwork, 'spam', ['429', '86400', sentences.reportsOfNetwork]],
    ['503', fillService, 'spam', ['503', '86400', sentences.reportsFull]],
    ['413', async () => {}, 'x'.repeat(70_000), ['413', '', 'shorten it to at most 2000']],
    ['500', breakTable, 'spam', ['500', '', sentences.signInBroken]],
  ]
  test.each(facts)('%s', async (_, prepare, text, [status, retryAfter = '', sentence = '']) => {
    await prepare()
    const answer = await sendFields({ text, kind: 'malware' })
    expect(String(answer.status)).toBe(status ?? '')
    expect(answer.headers.get('retry-after') ?? '').toBe(retryAfter)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8')
    const page = await answer.text()
    expect(page).toContain('<h1>Report a site</h1>')
    expect(page).toContain('Your report was not sent.')
    expect(page).toContain(sentence)
  })
})

test.each([
  [ofForm, 'text/html; charset=UTF-8', 'Your report was not sent. Cross-origin request refused'],
  ['application/json', 'application/json', '{"error":"Cross-origin request refused"}'],
])('a page of another origin that sends it as %s reads %s', async (type, answered, text) => {
  const body = type === ofForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields)
  const headers = { 'content-type': type, 'sec-fetch-site': 'cross-site' }
  const answer = await api().request('/report', { method: 'POST', body, headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([403, answered])
  expect(await answer.text()).toContain(text)
})

test('a client that sends JSON reads JSON', async () => {
  await sendTen()
  const answer = await send(JSON.stringify(fields), 'application/json; charset=utf-8')
  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBe('60')
  expect(await answer.json()).toEqual({
    error: 'Too many reports from your network. Try again in 60 seconds.',
  })
})

/** As many open reports of this network as may wait. */
async function fillNetwork(): Promise<void> {
  await sendFields()
  const [report] = await listReports(api().db, { state: 'open', limit: 1 })
  if (report === undefined) throw new Error('nothing stored')
  const { id: _, ...row } = report
  const others = Array.from({ length: 49 }, (_, n) => ({ ...row, site: nameOf(`other-${n}`) }))
  await api().db.insertInto('reports').values(others).execute()
}

/** As many open reports as may wait, one of them about the site, of other networks. */
async function fillService(): Promise<void> {
  await sendFields()
  const { db } = api()
  await db.updateTable('reports').set({ networkHash: 'another' }).execute()
  await sql`
    insert into reports (at, last_at, times, url, did, site, kind, text, state)
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 9999)
    select 1, 1, 1, 'x', ${bob}, 'site-' || n, 'other', 'x', 'open' from numbers`.execute(db)
}

async function breakTable(): Promise<void> {
  await api().db.schema.dropTable('reports').execute()
}
