// `bun bench/cli.ts [rounds]`: the installed package of the command line on this machine's Node, next to a Node that does nothing:
// how long `--help` takes, and a deploy of a site of 100 files that is unchanged, or in which one file has changed, at a real
// account server, with all its calls. Medians of alternating rounds. `BINARY=dist/binaries/…`: the same with a one-file binary.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { installCli } from '#tests/support/processes/site-owner-cli.ts'
import { type Devnet, startDevnet } from '../devnet/start.ts'
import { Calls, listed, logFile } from './deploys/calls.ts'
import { type BenchAccount, freshAccount } from './support/account.ts'
import { kB, many, words } from './support/files.ts'
import { median, print } from './support/rows.ts'

const rounds = Number(process.argv[2] ?? 15)
const helpMsMax = 150
const changeSecondsMax = 1.5
const binary = process.env['BINARY']

const dir = await mkdtemp(join(tmpdir(), 'sitehost-bench-'))
const nothing = ['node', '-e', '0']

async function main(): Promise<void> {
  await using cli = await installCli()
  const program = binary ? resolve(binary) : join(cli.dir, 'node_modules/.bin/sitehost')
  await start(program)
  await using network = await startDevnet({ dir: join(dir, 'devnet'), logFile })
  await deploys(program, network, await freshAccount(network))
}

async function start(program: string): Promise<void> {
  const [help, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    bare.push(await msOf(nothing))
    help.push(await msOf([program, '--help']))
  }
  const [value, of] = [median(help), median(bare)]
  const detail = `${(value / of).toFixed(2)} × ${of.toFixed(0)} ms of \`${nothing.join(' ')}\``
  print({ what: '--help', value, unit: 'ms', budget: helpMsMax, detail })
}

async function deploys(program: string, network: Devnet, { handle }: BenchAccount): Promise<void> {
  const folder = join(dir, 'site')
  const files = many(
    100,
    (i) => `${i % 10}/page-${i}.html`,
    () => words(10 * kB),
  )
  for (const { bytes, path } of files) await Bun.write(join(folder, path), bytes)
  const calls = new Calls(network, join(dir, 'devnet'))
  const command = [program, 'deploy', folder, '--site', 'site']
  const environment = {
    SITEHOST_HANDLE: handle,
    SITEHOST_APP_PASSWORD: 'hunter2pass',
    PLC_URL: network.plc,
    HANDLE_RESOLVER_URL: network.pds,
    ALLOW_PRIVATE_HOSTS: '1',
  }
  const measured = async () => {
    await calls.take()
    const ms = await msOf(command, environment)
    return { ms, calls: listed(await calls.take()) }
  }
  const first = await measured()
  const [bare, unchanged, changed]: [number[], number[], number[]] = [[], [], []]
  const callsOf = { unchanged: new Set<string>(), changed: new Set<string>() }
  for (let round = 0; round < rounds; round++) {
    bare.push(await msOf(nothing))
    const same = await measured()
    await Bun.write(join(folder, `3/page-${3 + 10 * (round % 9)}.html`), words(10 * kB))
    const other = await measured()
    unchanged.push(same.ms)
    changed.push(other.ms)
    callsOf.unchanged.add(same.calls)
    callsOf.changed.add(other.calls)
  }
  const row = (what: string, ms: number, budget: number | null, made: Iterable<string>) =>
    print({
      ...{ what, value: ms / 1000, unit: 's', budget },
      detail: `${(ms / median(bare)).toFixed(1)} × \`${nothing.join(' ')}\`; ${[...made].join(' or ')}`,
    })
  row('100 files, published', first.ms, null, [first.calls])
  row('  unchanged', median(unchanged), changeSecondsMax, callsOf.unchanged)
  row('  one file changed', median(changed), changeSecondsMax, callsOf.changed)
}

/** Wall time from the start of a process to its end. Throws when that is not 0. */
async function msOf(cmd: readonly string[], environment = {}): Promise<number> {
  const begin = performance.now()
  const child = Bun.spawn({
    cmd: [...cmd],
    env: { PATH: process.env['PATH'], HOME: dir, ...environment },
    ...({ stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' } as const),
  })
  const code = await child.exited
  const ms = performance.now() - begin
  if (code !== 0) throw new Error(`${cmd.join(' ')}: ${await new Response(child.stderr).text()}`)
  return ms
}

try {
  await main()
} finally {
  await rm(dir, { recursive: true })
}
