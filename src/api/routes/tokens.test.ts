import { describe, expect, test } from 'bun:test'
import { deployTokensMax, refusedTokens } from '#api/contract/limits.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { mebibyte, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'

const api = testApi()
const dayMs = 24 * 60 * 60 * 1000

/** Who asks: an account in its browser, or a program with the secret of a token. */
type By = typeof alice | { readonly secret: string }

async function ask(by: By, method: string, path: string, json?: unknown) {
  const headers = new Headers()
  if (typeof by === 'string') headers.set('cookie', await api().signedIn(by))
  else headers.set('authorization', `Bearer ${by.secret}`)
  const body = json === undefined ? null : JSON.stringify(json)
  const response = await api().request(path, { method, headers, body })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text), response }
}

interface Created {
  readonly secret: string
  readonly token: { readonly id: string }
}

async function create(facts: object = {}, { did = alice, site = 'blog' } = {}): Promise<Created> {
  const json = { name: 'ci', scope: 'deploy', ...facts }
  const { status, body } = await ask(did, 'POST', `/api/site/${site}/tokens`, json)
  expect(status).toBe(200)
  return body
}

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const files = [{ path: 'index.html', sha256: emptySha256, size: 0 }]

async function begin(by: By, facts: object = {}, site = 'blog') {
  const { status, body } = await ask(by, 'POST', `/api/site/${site}/deploys`, { files, ...facts })
  return [status, body] as [number, { deployId: string; error: string }]
}
const errorOf = async (by: By, facts: object = {}, site = 'blog') => {
  const [status, { error }] = await begin(by, facts, site)
  return [status, error]
}

describe('/api/site/:rkey/tokens', () => {
  test('a token is shown once; the list has all of it but the secret', async () => {
    const { body } = await ask(alice, 'POST', '/api/site/blog/tokens', {
      name: ' forge.example/alice/site ',
      scope: 'preview',
      expiresInDays: 7,
    })
    const row = {
      ...{ id: body.token.id, name: 'forge.example/alice/site', scope: 'preview' },
      createdAt: new Date(api().now).toISOString(),
      expiresAt: new Date(api().now + 7 * dayMs).toISOString(),
      lastUsedAt: null,
    }
    expect(body).toEqual({ secret: expect.stringMatching(/^shd_[\w-]{43}$/), token: row })
    const list = await ask(alice, 'GET', '/api/site/blog/tokens')
    expect(list.body).toEqual({ tokens: [row] })
    expect((await ask(alice, 'GET', '/api/site/other/tokens')).body).toEqual({ tokens: [] })
    expect((await ask(bob, 'GET', '/api/site/blog/tokens')).body).toEqual({ tokens: [] })
    const [stored] = await api().db.selectFrom('deployTokens').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(body.secret)
  })

  test('what cannot be a token is refused', async () => {
    const refused = async (facts: object) =>
      (await ask(alice, 'POST', '/api/site/blog/tokens', { name: 'ci', scope: 'deploy', ...facts }))
        .status
    expect(await refused({ name: ' ' })).toBe(400)
    expect(await refused({ name: 'x'.repeat(61) })).toBe(400)
    expect(await refused({ name: 'a\nb' })).toBe(400)
    expect(await refused({ scope: 'admin' })).toBe(400)
    expect(await refused({ expiresInDays: 366 })).toBe(400)
    expect(await refused({ expiresInDays: 365 })).toBe(200)
    expect((await ask(alice, 'GET', '/api/site/a%2Fb/tokens')).status).toBe(404)
  })

  test('a site has a limited number of them', async () => {
    for (let i = 0; i < deployTokensMax; i++) await create()
    const json = { name: 'one more', scope: 'deploy' }
    const answer = await ask(alice, 'POST', '/api/site/blog/tokens', json)
    expect([answer.status, answer.body]).toEqual([409, { error: sentences.tokensMax }])
    await create({}, { site: 'other' })
  })

  test('nobody else revokes one', async () => {
    const { token } = await create()
    for (const [did, site] of [
      [bob, 'blog'],
      [alice, 'other'],
    ] as const) {
      const answer = await ask(did, 'DELETE', `/api/site/${site}/tokens/${token.id}`)
      expect([answer.status, answer.body]).toEqual([404, { error: sentences.tokenNotFound }])
    }
    expect((await ask(alice, 'DELETE', `/api/site/blog/tokens/${token.id}`)).status).toBe(200)
  })
})

describe('a deploy token', () => {
  test('begins, sends, reads, commits and drops deploys of its site', async () => {
    const { secret } = await create()
    const by = { secret }
    const [, { deployId }] = await begin(by)
    const path = `/api/deploys/${deployId}`
    expect((await ask(by, 'PUT', `${path}/files/${emptySha256}`)).status).toBe(204)
    expect((await ask(by, 'GET', path)).body).toMatchObject({ state: 'open', missing: [] })
    expect((await ask(by, 'POST', `${path}/commit`)).body).toEqual({
      ...{ success: true, jobId: deployId },
    })
    const [, other] = await begin(by)
    expect((await ask(by, 'DELETE', `/api/deploys/${other.deployId}`)).status).toBe(200)
    const { tokens } = (await ask(alice, 'GET', '/api/site/blog/tokens')).body
    expect(tokens[0].lastUsedAt).toBe(new Date(api().now).toISOString())
  })

  test('needs no cookie, and a cookie of another account does not count', async () => {
    const { secret } = await create()
    const headers = { authorization: `Bearer ${secret}`, cookie: await api().signedIn(bob) }
    const init = { method: 'POST', headers, body: JSON.stringify({ files }) }
    const response = await api().request('/api/site/blog/deploys', init)
    const { deployId } = (await response.json()) as { deployId: string }
    expect((await ask(alice, 'GET', `/api/deploys/${deployId}`)).status).toBe(200)
  })

  test('is of one site', async () => {
    const { secret } = await create()
    expect(await errorOf({ secret }, {}, 'other')).toEqual([403, sentences.tokenOfOtherSite])
    const [, { deployId }] = await begin(alice, {}, 'other')
    const [, foreign] = await begin(bob)
    for (const [id, expected] of [
      [deployId, [403, { error: sentences.tokenOfOtherSite }]],
      [foreign.deployId, [404, { error: literals.deployNotFound }]],
    ] as const) {
      for (const [method, path] of [
        ['GET', `/api/deploys/${id}`],
        ['PUT', `/api/deploys/${id}/files/${emptySha256}`],
        ['POST', `/api/deploys/${id}/commit`],
        ['DELETE', `/api/deploys/${id}`],
      ] as const) {
        const { status, body } = await ask({ secret }, method, path)
        expect<unknown>([status, body]).toEqual(expected)
      }
    }
  })

  test('for previews publishes nothing, not even what another has begun', async () => {
    const { secret } = await create({ scope: 'preview' })
    expect(await errorOf({ secret })).toEqual([403, sentences.tokenForPreviews])
    const [, { deployId }] = await begin(alice)
    for (const [method, path] of [
      ['PUT', `/api/deploys/${deployId}/files/${emptySha256}`],
      ['POST', `/api/deploys/${deployId}/commit`],
      ['DELETE', `/api/deploys/${deployId}`],
    ] as const) {
      const { status, body } = await ask({ secret }, method, path)
      expect([status, body]).toEqual([403, { error: sentences.tokenForPreviews }])
    }
    const [status, preview] = await begin({ secret }, { preview: { alias: 'pr-12' } })
    expect(status).toBe(200)
    expect((await ask({ secret }, 'GET', `/api/deploys/${preview.deployId}`)).status).toBe(200)
  })

  test('opens no other route', async () => {
    const { secret } = await create()
    for (const [method, path] of [
      ['GET', '/api/user/sites'],
      ['GET', '/api/site/blog/tokens'],
      ['POST', '/api/site/blog/tokens'],
      ['DELETE', '/api/site/blog'],
      ['POST', '/sitehost/upload-files'],
      ['GET', '/api/user/nothing'],
    ] as const) {
      const { status, body } = await ask({ secret }, method, path)
      expect([path, status, body]).toEqual([
        path,
        403,
        expect.objectContaining({ error: sentences.tokenElsewhere }),
      ])
    }
    expect((await ask({ secret }, 'GET', '/api/admin/overview')).status).toBe(401)
  })

  test('says why it does not work', async () => {
    const { secret, token } = await create({ expiresInDays: 1 })
    const unknown = `shd_${'A'.repeat(43)}`
    expect(await errorOf({ secret: unknown })).toEqual([401, sentences.tokenUnknown])
    const { response } = await ask({ secret: unknown }, 'GET', '/api/deploys/x')
    expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    api().now += dayMs
    expect(await errorOf({ secret })).toEqual([401, sentences.tokenExpired])
    api().now -= 1
    expect((await begin({ secret }))[0]).toBe(200)
    await ask(alice, 'DELETE', `/api/site/blog/tokens/${token.id}`)
    expect(await errorOf({ secret })).toEqual([401, sentences.tokenRevoked])
  })

  test('outlives the browser that made it, whose grant stays for it', async () => {
    const { secret } = await create()
    // Each request of hers begins a session: the last one ends with no other left.
    await api().db.deleteFrom('browserSessions').execute()
    expect((await ask(alice, 'POST', '/api/auth/logout')).status).toBe(200)
    expect(api().network.sessions.has(alice)).toBe(true)
    expect((await begin({ secret }))[0]).toBe(200)
  })

  test('ends when the account signs out everywhere', async () => {
    const { secret } = await create()
    expect((await ask(alice, 'POST', '/api/auth/logout-everywhere')).status).toBe(200)
    expect(api().network.sessions.has(alice)).toBe(false)
    expect(await errorOf({ secret })).toEqual([401, sentences.tokenSignedOut])
    api().network.sessions.add(alice)
    expect(await errorOf({ secret })).toEqual([401, sentences.tokenSignedOut])
  })

  test('ends when the account’s server has ended the grant, also while it is used', async () => {
    const { secret } = await create()
    const { network } = api()
    network.sessions.delete(alice)
    Object.assign(network.oauth, { has: once(true, false) })
    expect(await errorOf({ secret })).toEqual([401, sentences.tokenSignedOut])
  })

  test('many refused ones from a network, and it has to wait; others do not', async () => {
    const { secret } = await create()
    const unknown = { secret: `shd_${'A'.repeat(43)}` }
    for (let i = 0; i < refusedTokens.perClient; i++) {
      await ask(unknown, 'GET', '/api/deploys/x')
    }
    expect((await ask(unknown, 'GET', '/api/deploys/x')).status).toBe(429)
    expect((await ask({ secret }, 'GET', '/api/deploys/x')).status).toBe(429)
    expect((await ask(alice, 'GET', '/api/deploys/x')).status).toBe(404)
    api().now += 10 * 60_000
    expect((await ask({ secret }, 'GET', '/api/deploys/x')).status).toBe(404)
  })

  test('is in no line of the log', async () => {
    const { secret, token } = await create()
    const big = { files: [{ ...files[0], size: 3 * mebibyte }] }
    await begin({ secret }, big)
    await ask({ secret }, 'GET', '/api/user/sites')
    await ask({ secret: `${secret}x` }, 'GET', '/api/deploys/x')
    await ask(alice, 'DELETE', `/api/site/blog/tokens/${token.id}`)
    await begin({ secret })
    const text = JSON.stringify(api().logged)
    expect(text).toContain('deploy token created')
    expect(text).toContain('deploy token revoked')
    expect(text).toContain('deploy token refused')
    expect(text).not.toContain(secret)
    expect(text).not.toContain(secret.slice(4, 20))
  })
})

/** The first answer, then the second one for ever. */
function once(first: boolean, then: boolean): () => Promise<boolean> {
  const answers = [first]
  return async () => answers.pop() ?? then
}
