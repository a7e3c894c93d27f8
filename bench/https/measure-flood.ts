import { cpuSeconds } from '../support/processes.ts'
import { type Client, startClient } from './clients.ts'
import type { HttpsServer } from './servers.ts'

/** Until the engine has compiled what handshakes run: meanwhile its threads take the core from the one that answers. */
const warmUpRounds = 10

/** Whom a flood is aimed at. `client`: at itself, so that the load's core does what it does in a flood, and the server is left alone. */
const targets = ['nobody', 'client', 'server'] as const
type Target = (typeof targets)[number]

interface Round {
  readonly p99Ms: number
  readonly handshakesPerSecond: number
  /** Of one core. */
  readonly clientShare: number
  readonly serverShare: number
}

export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** Of each figure of the rounds with one target. */
export type FloodFigures = { readonly [figure in keyof Round]: Spread }

export type FloodRounds = Readonly<Record<Target, FloodFigures>>

/**
 * How long open connections wait without and with a flood of handshakes, in alternating rounds. The client that asks for pages has precedence
 * on its core, so that the flood's client does not delay it. With `client` as the target everything is as in the flood of the server, but for the server.
 */
export async function measureFlood(
  server: HttpsServer,
  host: string,
  rounds: number,
): Promise<FloodRounds> {
  await using client = await startClient(['chrt', '-f', '1'], 'latency.ts', server.port, host)
  const measured: Record<Target, Round[]> = { nobody: [], client: [], server: [] }
  for (let round = 0; round < warmUpRounds; round++) await runRound('server', client, server, host)
  for (let round = 0; round < rounds; round++) {
    const first = round % targets.length
    for (const target of [...targets.slice(first), ...targets.slice(0, first)]) {
      measured[target].push(await runRound(target, client, server, host))
    }
  }
  const { nobody, client: atClient, server: atServer } = measured
  return { nobody: figuresOf(nobody), client: figuresOf(atClient), server: figuresOf(atServer) }
}

async function runRound(
  target: Target,
  client: Client,
  { pids, port }: HttpsServer,
  host: string,
): Promise<Round> {
  const to = target === 'server' ? port : 0
  await using flood = target === 'nobody' ? null : await startClient(['nice'], 'flood.ts', to, host)
  const cpu = async (of: readonly number[]) =>
    (await Promise.all(of.map(cpuSeconds))).reduce((sum, each) => sum + each, 0)
  const floodPids = flood === null ? [] : [flood.pid]
  const [begunAt, clientBefore, serverBefore] = [
    performance.now(),
    await cpu(floodPids),
    await cpu(pids),
  ]
  const p99Ms = Number(await client.ask())
  const seconds = (performance.now() - begunAt) / 1_000
  const clientShare = ((await cpu(floodPids)) - clientBefore) / seconds
  const serverShare = ((await cpu(pids)) - serverBefore) / seconds
  const handshakes = flood === null ? 0 : Number(await flood.end())
  return { p99Ms, handshakesPerSecond: handshakes / seconds, clientShare, serverShare }
}

function figuresOf(rounds: readonly Round[]): FloodFigures {
  const of = (figure: keyof Round): Spread => spreadOf(rounds.map((round) => round[figure]))
  return {
    p99Ms: of('p99Ms'),
    handshakesPerSecond: of('handshakesPerSecond'),
    clientShare: of('clientShare'),
    serverShare: of('serverShare'),
  }
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  return {
    median: at(Math.floor(sorted.length / 2)),
    min: at(0),
    max: at(sorted.length - 1),
  }
}
