import { renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startServers } from './servers.ts'

export interface DevnetOptions {
  /** Everything lives here. Starting again in the same folder gives the same network. */
  dir: string
  /** Free ports are chosen when left out. A folder keeps the ports of its first start. */
  pdsPort?: number
  plcPort?: number
  /** Settings of the PDS by their names in its `ServerEnvironment`, such as `blobUploadLimit`. */
  pdsEnv?: Record<string, unknown>
  /** Created where missing; instead of alice.test, bob.test and carol.test. */
  accounts?: { handle: string; password: string }[]
  /** Write the servers' logs to this file of `dir`. */
  logFile?: string
  /** Write the path of each request that the PDS answers to this file of `dir`, a line each, as it arrives. */
  callsFile?: string
  /** Lets `setFaults` make calls to the PDS go wrong. */
  canFail?: boolean
  /** Lets the PDS connect to names of the tests' own by https; without it, there are none. */
  httpsNames?: HttpsNames
}

/** A way to https names that no DNS has. */
export interface HttpsNames {
  /** Address of an HTTP proxy that takes CONNECT (RFC 9110 §9.3.6). */
  proxy: string
  /** A PEM file with the certificate that is trusted for them. */
  caFile: string
}

/** What goes wrong with calls of a method, as `faults.mjs` describes it. */
export interface DevnetFault {
  hold?: boolean
  status?: number
  reset?: boolean
  loseAnswer?: boolean
  bytesMax?: number
  ignoreSwap?: boolean
  after?: number
  times?: number
}

export interface DevnetAccount {
  handle: string
  did: string
  password: string
}

export interface Network extends AsyncDisposable {
  /** `http://localhost:{port}`, which is also the OAuth issuer unless `pdsEnv` has a `hostname`. */
  pds: string
  plc: string
  adminPassword: string
  /** All that a start ever created here, not only those asked for this time. */
  accounts: DevnetAccount[]
  /** Ends the servers and waits for it; harmless when they have ended. */
  stop(): Promise<void>
  /** From the next call on; by XRPC method, such as `com.atproto.repo.uploadBlob`. Needs `canFail`. */
  setFaults(faults: Record<string, DevnetFault>): void
}

/** A network that is a process of its own. */
export interface Devnet extends Network {
  pid: number
  /** Resolves when the servers ended, for whatever reason. */
  exited: Promise<void>
  /** What a power cut does: SIGKILL, at once. */
  kill(): void
}

/**
 * Starts a real PLC directory and a real PDS on loopback, as one process that ends with this
 * one, however this one ends. Installs devnet's packages first when they are missing.
 * Throws DevnetStartError.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { httpsNames } = options
  const servers = await startServers<Ready>({
    script: 'serve.mjs',
    settings: settingsOf(options),
    environment: httpsNames && environmentOf(httpsNames),
  })
  const { ready, pid, exited, stop } = servers
  return {
    ...ready,
    pid,
    exited,
    stop,
    kill: () => servers.kill('SIGKILL'),
    setFaults: (faults) => writeFaults(options.dir, faults),
    [Symbol.asyncDispose]: stop,
  }
}

/** What the servers say of themselves when they are ready. */
export type Ready = Pick<Network, 'pds' | 'plc' | 'adminPassword' | 'accounts'>

/** As `network.mjs` takes them. */
export function settingsOf({ dir, pdsEnv, httpsNames: _, ...settings }: DevnetOptions) {
  return { ...settings, dir: resolve(dir), env: pdsEnv }
}

/** In one step: the PDS may be reading. */
export function writeFaults(dir: string, faults: Record<string, DevnetFault>): void {
  const file = join(dir, 'faults.json')
  writeFileSync(`${file}.tmp`, JSON.stringify(faults))
  renameSync(`${file}.tmp`, file)
}

/** Node's own settings; the PDS has none for it. */
const environmentOf = ({ proxy, caFile }: HttpsNames) => ({
  NODE_USE_ENV_PROXY: '1',
  NODE_EXTRA_CA_CERTS: caFile,
  HTTPS_PROXY: proxy,
})
