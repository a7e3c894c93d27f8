import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { exchangedTokenMinutes, publishersMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { forgetUsedIdTokens } from '#store/accounts/publishers.ts'
import { origin, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { Issuer } from '#tests/support/servers/issuer.ts'

const api = testApi({ fetch: createSafeFetch({ allowPrivate: true }) })
let issuer: Issuer
beforeAll(() => {
  issuer = new Issuer()
})
beforeEach(async () => {
  issuer.lie = null
  issuer.isDown = false
  await issuer.rotate('ES256')
  issuer.asked.length = 0
})
afterAll(() => issuer[Symbol.asyncDispose]())

const path = '/api/site/blog/publishers'

async function ask(did: typeof alice | null, method: string, to: string, json?: unknown) {
  const headers = new Headers()
  if (did !== null) headers.set('cookie', await api().signedIn(did))
  const body = json === undefined ? null : JSON.stringify(json)
  const response = await api().request(to, { method, headers, body })
  return { status: response.status, body: await response.json() }
}

const ofMain = { repository: 'alice/site', ref: 'refs/heads/main', scope: 'deploy' }
const add = async (facts: object = {}, did = alice, to = path) =>
  await ask(did, 'POST', to, { issuer: issuer.url, ...ofMain, ...facts })

/** A token of a job, as GitHub and Forgejo issue them. */
const tokenOf = (claims: object = {}) => {
  const seconds = Math.floor(api().now / 1000)
  return issuer.issue({
    ...{ aud: origin, iat: seconds, nbf: seconds, exp: seconds + 300, jti: crypto.randomUUID() },
    ...{ repository: 'alice/site', repository_id: '17', ref: 'refs/heads/main', ...claims },
  })
}
const exchange = async (claims: object = {}, facts: object = {}) =>
  await ask(null, 'POST', '/api/tokens/exchange', {
    ...{ account: alice, site: 'blog', token: await tokenOf(claims), ...facts },
  })
const refusal = async (claims: object = {}, facts: object = {}) => {
  const { status, body } = await exchange(claims, facts)
  return [status, body.error]
}

const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const begin = async (secret: string, facts: object = {}) => {
  const headers = { authorization: `Bearer ${secret}` }
  const body = JSON.stringify({ files: [{ path: 'index.html', sha256, size: 0 }], ...facts })
  return (await api().request('/api/site/blog/deploys', { method: 'POST', headers, body })).status
}

describe('/api/site/:rkey/publishers', () => {
  test('are listed, and removed by their owner alone', async () => {
    const { body } = await add()
    const row = {
      ...{ id: body.id, issuer: issuer.url, ...ofMain, environment: null },
      ...{ createdAt: new Date(api().now).toISOString(), lastUsedAt: null },
    }
    expect(body).toEqual(row)
    expect((await ask(alice, 'GET', path)).body).toEqual({ publishers: [row] })
    expect((await ask(bob, 'GET', path)).body).toEqual({ publishers: [] })
    expect((await ask(bob, 'DELETE', `${path}/${row.id}`)).status).toBe(404)
    expect((await ask(alice, 'DELETE', `${path}/${row.id}`)).status).toBe(200)
    expect((await ask(alice, 'GET', path)).body).toEqual({ publishers: [] })
  })

  test('what is no publisher, or too wide a one, is refused', async () => {
    const wide = await add({ ref: undefined })
    expect([wide.status, wide.body]).toEqual([400, { error: sentences.publisherTooWide }])
    expect((await add({ ref: undefined, scope: 'preview' })).status).toBe(200)
    expect((await add({ ref: undefined, environment: 'production' })).status).toBe(200)
    for (const facts of [
      { issuer: 'https://forge.example/' },
      { issuer: 'https://me@forge.example' },
      { issuer: 'https://forge.example?x' },
      { issuer: 'file:///etc' },
      { repository: 'site' },
      { ref: 'main' },
    ]) {
      expect([facts, (await add(facts)).status]).toEqual([facts, 400])
    }
  })

  test('a site has a limited number of them', async () => {
    for (let i = 0; i < publishersMax; i++) await add()
    expect((await add()).status).toBe(409)
    expect((await add({}, bob)).status).toBe(200)
  })
})

describe('a job’s token', () => {
  test('is exchanged for one of a quarter of an hour that deploys the site', async () => {
    await add()
    const { status, body } = await exchange()
    const expiresAt = api().now + exchangedTokenMinutes * 60_000
    expect([status, body]).toEqual([
      200,
      {
        ...{ secret: body.secret, did: alice, site: 'blog', scope: 'deploy' },
        expiresAt: new Date(expiresAt).toISOString(),
      },
    ])
    expect(await begin(body.secret)).toBe(200)
    expect((await ask(alice, 'GET', '/api/site/blog/tokens')).body).toEqual({ tokens: [] })
    const { publishers } = (await ask(alice, 'GET', path)).body
    expect(publishers[0].lastUsedAt).toBe(new Date(api().now).toISOString())
    api().now = expiresAt
    expect(await begin(body.secret)).toBe(401)
  })

  test('may name the account by its handle', async () => {
    await upsertAccount(api().db, { did: alice, handle: 'alice.test', pds: 'https://pds.test' }, 1)
    await add()
    expect((await exchange({}, { account: 'Alice.test' })).status).toBe(200)
  })

  test('of GitLab, and of an environment', async () => {
    await add({ repository: 'alice/group/site', ref: undefined, environment: 'Production' })
    await add({ repository: 'alice/group/site', ref: 'refs/tags/v1' })
    const gitlab = { repository: undefined, project_path: 'alice/group/site', project_id: '5' }
    expect((await exchange({ ...gitlab, ref: 'x', environment: 'Production' })).status).toBe(200)
    expect((await exchange({ ...gitlab, ref: 'v1', ref_type: 'tag' })).status).toBe(200)
    expect(await refusal({ ...gitlab, ref: 'v1', ref_type: 'branch' })).toEqual([
      ...[403, sentences.noPublisherOf('environment', 'none')],
    ])
  })

  test('of an environment that differs in case only is refused for GitLab, where it is another one', async () => {
    await add({ ref: undefined, environment: 'production' })
    const gitlab = { repository: undefined, project_path: 'alice/site', ref: 'evil' }
    expect(await refusal({ ...gitlab, environment: 'Production' })).toEqual([
      ...[403, sentences.environmentCase('Production', 'production')],
    ])
    const both = { ...gitlab, repository: 'alice/site', environment: 'Production' }
    expect((await exchange(both)).status).toBe(403)
    expect((await exchange({ ...gitlab, environment: 'production' })).status).toBe(200)
    expect((await exchange({ ref: 'x', environment: 'Production' })).status).toBe(200)
  })

  test('of a pull request makes previews alone', async () => {
    await add()
    await add({ ref: undefined, scope: 'preview' })
    expect((await exchange()).body.scope).toBe('deploy')
    const { body } = await exchange({ ref: 'refs/pull/12/merge' })
    expect(body.scope).toBe('preview')
    expect(await begin(body.secret)).toBe(403)
    expect(await begin(body.secret, { preview: { alias: 'pr-12' } })).toBe(200)
  })

  test('is refused with the claim that does not match', async () => {
    await add()
    const { noPublisherOf } = sentences
    const seconds = Math.floor(api().now / 1000)
    for (const [claims, sentence] of [
      [{ aud: 'https://other.example' }, sentences.idTokenForOthers(origin)],
      [{ aud: [origin, 'https://other.example'] }, sentences.idTokenForOthers(origin)],
      [{ repository: 'mallory/site' }, noPublisherOf('repository', 'mallory/site')],
      [{ ref: 'refs/heads/other' }, noPublisherOf('ref', 'refs/heads/other')],
      [{ ref: undefined }, noPublisherOf('ref', 'none')],
      [{ exp: seconds - 60 }, sentences.idTokenExpired],
      [{ nbf: seconds + 61 }, sentences.idTokenTooEarly],
      [{ iat: seconds + 61 }, sentences.idTokenTooEarly],
      [{ exp: seconds + 86_401 }, sentences.idTokenTooLong],
      [{ iss: 'https://other.example' }, noPublisherOf('iss', 'https://other.example')],
    ] as const) {
      expect<unknown>([claims, ...(await refusal(claims))]).toEqual([claims, 403, sentence])
    }
    expect((await exchange({ exp: seconds - 59, nbf: seconds + 60, aud: [origin] })).status).toBe(
      200,
    )
    // The repository that has been here was deleted, and another one has its name.
    expect(await refusal({ repository_id: '18' })).toEqual([
      403,
      noPublisherOf('repository_id', '18'),
    ])
  })

  test('is of one site of one account', async () => {
    await add()
    const sentence = sentences.noPublisherOf('iss', issuer.url)
    for (const facts of [{ site: 'other' }, { account: bob }, { account: 'nobody.test' }]) {
      expect(await refusal({}, facts)).toEqual([403, sentence])
    }
  })

  test('works once, however its signature is written, and until it expires', async () => {
    await add()
    const token = await tokenOf()
    expect((await exchange({}, { token })).status).toBe(200)
    expect(await refusal({}, { token })).toEqual([403, sentences.idTokenUsed])
    await forgetUsedIdTokens(api().db, api().now)
    const other = withOtherSignature(token)
    expect(other).not.toBe(token)
    expect(await refusal({}, { token: other })).toEqual([403, sentences.idTokenUsed])
  })

  test('of another key, or of none, is refused', async () => {
    await add()
    const [header, , signature] = (await tokenOf()).split('.')
    const [, payload] = (await tokenOf()).split('.')
    const forged = `${header}.${payload}.${signature}`
    expect(await refusal({}, { token: forged })).toEqual([403, sentences.idTokenNotSigned])
    const none = Buffer.from('{"alg":"none","typ":"JWT","kid":"x"}').toString('base64url')
    for (const token of ['', 'x', 'a.b.c', `${none}.${payload}.x`, 'a.b.c.d']) {
      expect([token, ...(await refusal({}, { token }))]).toEqual([token, 400, sentences.notIdToken])
    }
  })

  test('nothing is asked of an issuer that the site does not list', async () => {
    await add({ issuer: 'https://forge.example' })
    expect((await exchange()).status).toBe(403)
    expect(issuer.asked).toEqual([])
  })

  test('ends with its publisher', async () => {
    const { body } = await add()
    const { secret } = (await exchange()).body
    await ask(alice, 'DELETE', `${path}/${body.id}`)
    expect(await begin(secret)).toBe(401)
    await add()
    await ask(alice, 'POST', '/api/auth/logout-everywhere')
    expect((await ask(alice, 'GET', path)).body).toEqual({ publishers: [] })
  })

  test('is in no line of the log, nor is what it was exchanged for', async () => {
    await add()
    const token = await tokenOf()
    const { body } = await exchange({}, { token })
    await exchange({}, { token })
    const text = JSON.stringify(api().logged)
    expect(text).toContain('deploy token exchanged')
    expect(text).not.toContain(body.secret)
    for (const piece of token.split('.').slice(1)) expect(text).not.toContain(piece)
  })
})

describe('an issuer’s keys', () => {
  test('are read once, and again for a new one, but not more than once a minute', async () => {
    await add()
    const keysRead = () => issuer.asked.filter((each) => each === '/keys').length
    await exchange()
    await exchange()
    expect(keysRead()).toBe(1)
    await issuer.rotate('RS256')
    expect((await exchange()).status).toBe(200)
    expect(keysRead()).toBe(2)
    await issuer.rotate('ES256')
    expect(await refusal()).toEqual([403, sentences.idTokenNotSigned])
    expect(keysRead()).toBe(2)
    api().now += 60_000
    expect((await exchange()).status).toBe(200)
    expect(keysRead()).toBe(3)
  })

  test('are not those of another issuer, nor of one that does not answer', async () => {
    await add()
    const unanswered = [502, sentences.issuerUnanswered]
    issuer.lie = { issuer: 'https://forge.example' }
    expect(await refusal()).toEqual(unanswered)
    issuer.lie = { jwks_uri: 'file:///etc/passwd' }
    expect(await refusal()).toEqual(unanswered)
    issuer.lie = { padding: 'x'.repeat(70_000) }
    expect(await refusal()).toEqual(unanswered)
    issuer.lie = null
    issuer.isDown = true
    expect(await refusal()).toEqual(unanswered)
    issuer.isDown = false
    expect((await exchange()).status).toBe(200)
  })
})

/** (r, n − s) signs what (r, s) signs (SEC 1, §4.1.4). */
function withOtherSignature(token: string): string {
  const [header, payload, signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  const s = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.concat([
    bytes.subarray(0, 32),
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex'),
  ])
  return [header, payload, other.toString('base64url')].join('.')
}
