import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { envToCfg, envToSecrets, PDS } from '@atproto/pds'
import { bindToLoopback } from './bind-to-loopback.mjs'
import { injectFaults } from './faults.mjs'

/**
 * Starts the reference PDS. `env` overrides its settings by the names of `ServerEnvironment`, which
 * are those of its environment variables: `PDS_BLOB_UPLOAD_LIMIT` is `blobUploadLimit`. With `canFail`,
 * `faults.json` in its folder makes calls go wrong. With `callsFile`, the paths of all others are written to that file of its folder.
 */
export async function startPds({ dir, port, plcUrl, secrets, env, canFail = false, callsFile }) {
  const settings = { ...settingsFor({ dir, port, plcUrl }), ...secrets, ...env }
  mkdirSync(settings.blobstoreDiskLocation, { recursive: true })
  mkdirSync(settings.blobstoreDiskTmpLocation, { recursive: true })

  if (process.env.HTTPS_PROXY) fetchByProxy()
  const config = envToCfg(settings)
  const pds = await PDS.create(config, envToSecrets(settings))
  resolveTestHandles(pds.ctx)
  bindToLoopback(pds.app)
  const server = await pds.start()
  // First: a call that goes wrong on purpose is not one that the PDS sees.
  if (callsFile) server.prependListener('request', writePathTo(join(dir, callsFile)))
  if (canFail) injectFaults(server, join(dir, 'faults.json'))

  // Also where its public address is another, with somebody in front who has the certificate.
  const url = `http://localhost:${port}`
  return {
    url,
    stop: () => pds.destroy(),

    /** @returns {Promise<string>} the account's DID, also when the account was there already */
    async createAccount(handle, password) {
      const existing = await pds.ctx.accountManager.getAccount(handle)
      return existing?.did ?? (await createAccount(url, handle, password))
    },
  }
}

const writePathTo = (/** @type {string} */ file) => (request) =>
  appendFileSync(file, `${request.url.split('?', 1)[0]}\n`)

function settingsFor({ dir, port, plcUrl }) {
  return {
    // `localhost` makes the public address, and so the OAuth issuer, `http://localhost:{port}`.
    hostname: 'localhost',
    port,
    serviceName: 'Devnet',
    serviceHandleDomains: ['.test'],
    didPlcUrl: plcUrl,
    devMode: true,
    inviteRequired: false,
    // What the reference PDS's own installer sets; the server's default is 5 MiB.
    blobUploadLimit: 100 * 1024 * 1024,
    // Everything is on loopback here, which the protection exists to refuse.
    disableSsrfProtection: true,
    dataDirectory: dir,
    blobstoreDiskLocation: join(dir, 'blobs'),
    blobstoreDiskTmpLocation: join(dir, 'blobs-tmp'),
  }
}

/** The PDS connects by itself, with a dispatcher of its own; without that, Node asks the proxy. */
function fetchByProxy() {
  const { fetch } = globalThis
  globalThis.fetch = (input, { dispatcher: _, ...init } = {}) => fetch(input, init)
}

/** `.test` is in no DNS (RFC 6761 §6.2), so the PDS answers for the handles of its own accounts. */
function resolveTestHandles({ idResolver, accountManager }) {
  const resolve = idResolver.handle.resolve.bind(idResolver.handle)
  idResolver.handle.resolve = async (handle, options) => {
    if (!handle.endsWith('.test')) return resolve(handle, options)
    return (await accountManager.getAccount(handle))?.did
  }
}

async function createAccount(url, handle, password) {
  const email = `${handle.replace(/\.test$/, '')}@example.com`
  const response = await fetch(`${url}/xrpc/com.atproto.server.createAccount`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ handle, email, password }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`cannot create ${handle}: ${JSON.stringify(answer)}`)
  return answer.did
}
