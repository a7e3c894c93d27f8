import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

/**
 * Starts an OpenID provider on loopback that vouches for jobs as a forge does. `GET /job-token?audience=…` answers as the
 * address in GitHub's `ACTIONS_ID_TOKEN_REQUEST_URL` does; the bearer token there is the job itself: base64url of the JSON
 * `{ claims, expiresIn }`. `POST /rotate` makes it sign with a new key, and publish only the one before it in addition.
 */
export async function startIssuer() {
  const server = createServer((request, response) => answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`

  let keys = []
  let answer = (_request, response) => response.end()
  const rotate = async () => {
    const alg = keys[0]?.alg === 'RS256' ? 'ES256' : 'RS256'
    const jwk = { ...newKey(alg), alg, use: 'sig', kid: crypto.randomUUID() }
    keys = [jwk, ...keys.slice(0, 1)]
    answer = openProvider(url, keys, rotate).callback()
  }
  await rotate()

  return {
    url,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

const newKey = (alg) => {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ format: 'jwk' })
}

/** A provider reads its keys when it is created only. */
function openProvider(url, keys, rotate) {
  const [{ alg }] = keys
  const provider = new Provider(url, {
    jwks: { keys },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
  })
  provider.use(async (ctx, next) => {
    if (ctx.path === '/rotate' && ctx.method === 'POST') {
      await rotate()
      ctx.body = {}
    } else if (ctx.path === '/job-token') {
      ctx.body = { value: await jobToken(provider, alg, ctx) }
    } else await next()
  })
  return provider
}

async function jobToken(provider, alg, ctx) {
  const job = ctx.get('authorization').replace(/^Bearer /i, '')
  const { claims, expiresIn } = JSON.parse(Buffer.from(job, 'base64url').toString())
  const client = new provider.Client({
    client_id: ctx.query.audience,
    id_token_signed_response_alg: alg,
    redirect_uris: ['https://forge.example/'],
    token_endpoint_auth_method: 'none',
  })
  const token = new provider.IdToken({ sub: claims.repository }, { client })
  const all = { jti: crypto.randomUUID(), ...claims }
  for (const [name, value] of Object.entries(all)) token.set(name, value)
  const seconds = Math.floor(Date.now() / 1000)
  return await token.issue({ use: 'idtoken', expiresAt: seconds + expiresIn })
}
