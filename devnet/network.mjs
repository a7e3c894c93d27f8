import { randomBytes } from 'node:crypto'
import { freePort } from './free-port.mjs'
import { startPds } from './pds.mjs'
import { startPlc } from './plc.mjs'
import { readSaved, writeSaved } from './saved.mjs'

const DEFAULT_ACCOUNTS = ['alice.test', 'bob.test', 'carol.test'].map((handle) => ({
  handle,
  password: 'hunter2pass',
}))

/**
 * Starts a PLC directory and a PDS that live in the existing folder `dir`, on loopback, and makes
 * sure that the accounts exist. Ports, secrets and accounts are those of the first start in `dir`.
 *
 * @param {{
 *   dir: string
 *   pdsPort?: number
 *   plcPort?: number
 *   env?: Record<string, unknown>
 *   canFail?: boolean
 *   callsFile?: string
 *   accounts?: { handle: string, password: string }[]
 * }} settings
 */
export async function startNetwork({
  dir,
  pdsPort,
  plcPort,
  env,
  canFail,
  callsFile,
  accounts = DEFAULT_ACCOUNTS,
}) {
  const saved = readSaved(dir) ?? (await newNetwork({ pdsPort, plcPort }))
  assertSamePort('PDS', saved.pdsPort, pdsPort)
  assertSamePort('PLC directory', saved.plcPort, plcPort)
  // Before anything else: a DID that the PLC directory accepts names the port from then on.
  writeSaved(dir, saved)

  const plc = await startPlc({ dir, port: saved.plcPort })
  const pds = await startPds({
    dir,
    port: saved.pdsPort,
    plcUrl: plc.url,
    secrets: saved.secrets,
    env,
    canFail,
    callsFile,
  })

  const known = new Set(saved.accounts.map((account) => account.handle))
  for (const { handle, password } of accounts.filter((account) => !known.has(account.handle))) {
    const did = await pds.createAccount(handle, password)
    saved.accounts.push({ handle, did, password })
  }
  writeSaved(dir, saved)

  return {
    pds: pds.url,
    plc: plc.url,
    adminPassword: saved.secrets.adminPassword,
    accounts: saved.accounts,
    async stop() {
      await Promise.all([pds.stop(), plc.stop()])
    },
  }
}

async function newNetwork({ pdsPort, plcPort }) {
  return {
    pdsPort: pdsPort ?? (await freePort({ except: plcPort })),
    plcPort: plcPort ?? (await freePort({ except: pdsPort })),
    secrets: {
      jwtSecret: randomBytes(16).toString('hex'),
      dpopSecret: randomBytes(32).toString('hex'),
      adminPassword: randomBytes(16).toString('hex'),
      plcRotationKeyK256PrivateKeyHex: randomBytes(32).toString('hex'),
    },
    accounts: [],
  }
}

/** A folder's DID documents name its port: moving it would leave every account unreachable. */
function assertSamePort(server, savedPort, port) {
  if (port === undefined || port === savedPort) return
  throw new Error(`this devnet's ${server} has port ${savedPort} and cannot move to ${port}`)
}
