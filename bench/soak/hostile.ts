// `bun bench/soak/hostile.ts [seconds]`: what a visitor of another site waits, for so many seconds (20) while nothing
// happens, and for as many while four accounts write every hostile record there is, again and again. Its p99 may be
// twice the quiet one at most, and then what one signed-in account does (`tests/support/hostile/hostile-attacks.ts`): its p99 may be
// 50 ms then; and the service's memory may grow by 64 MB. The last row is for comparison: what the
// processor alone does to the visitor while a stranger on this machine computes as much as the service did.
//
// The attackers' servers and the visitor stand for other machines: the former only have the processor when nobody
// else wants it, and the latter does not wait for it, which Linux allows to root only.
import { attacks } from '#tests/support/hostile/hostile-attacks.ts'
import { startHostileLoad } from '#tests/support/hostile/hostile-load.ts'
import { startVisitor } from '#tests/support/visitors/visit-times.ts'

const seconds = Number(process.argv[2] ?? 20)
const p99RatioMax = 2
/** Where twice the quiet p99 is less. */
const p99MsMax = 50
const attackSeconds = Math.min(seconds, 10)
const growthBytesMax = 64 * 1024 * 1024
const warmUpSeconds = 3
const sampleEveryMs = 100

await using load = await startHostileLoad()
const { place, page } = load
using visitor = startVisitor(page)
const isApart = [
  schedule(['--idle', '--pid', '0'], process.pid),
  schedule(['--fifo', '--pid', '10'], visitor.pid),
].every(Boolean)
if (!isApart)
  print('attackers and visitor take part of the processor: figures are worse than they are')

await visitor.visit(warmUpSeconds)
const quiet = await visitor.visit(seconds)
// Code and heap that the first of everything takes, hostile or not.
await load.attack({ rounds: 1 })
const before = await residentBytes()
let peak = before
const sampler = setInterval(() => {
  void residentBytes().then((bytes) => {
    peak = Math.max(peak, bytes)
  })
}, sampleEveryMs)
const cpuBefore = await cpuSeconds()
const stop = new AbortController()
const attacking = load.attack({ signal: stop.signal })
const attacked = await visitor.visit(seconds)
stop.abort()
const versions = await attacking
clearInterval(sampler)
const busyShare = Math.min(1, ((await cpuSeconds()) - cpuBefore) / seconds)
const compared = await besideStranger(busyShare)

const ratio = p99(attacked) / p99(quiet)
const growth = peak - before
print(`quiet:    ${told(quiet)}`)
print(`attacked: ${told(attacked)}, by ${versions} hostile versions in ${seconds} s`)
print(
  `compared: ${told(compared)}, beside a stranger at ${(100 * busyShare).toFixed(0)} % of a core`,
)
print(
  `p99 ${ratio.toFixed(2)} times the quiet one (${ratio <= p99RatioMax ? 'within' : 'OVER'} ${p99RatioMax})`,
)
print(
  `memory grew by ${(growth / 1024 / 1024).toFixed(0)} MB to ${(peak / 1024 / 1024).toFixed(0)} MB ` +
    `(${growth <= growthBytesMax ? 'within' : 'OVER'} ${growthBytesMax / 1024 / 1024} MB)`,
)
if (ratio > p99RatioMax || growth > growthBytesMax) process.exitCode = 1

// Then what one signed-in account asks for again and again, one row after the other.
const p99Max = Math.max(p99(quiet) * p99RatioMax, p99MsMax)
for (const attack of attacks) {
  await attack.prepare?.(place)
  const stopped = new AbortController()
  const running = Promise.all(
    Array.from({ length: attack.atOnce }, async () => {
      let runs = 0
      for (; !stopped.signal.aborted; runs++) await attack.run(place)
      return runs
    }),
  )
  const visits = await visitor.visit(attackSeconds)
  stopped.abort()
  const runs = (await running).reduce((sum, count) => sum + count, 0)
  const isWithin = p99(visits) <= p99Max
  print(
    `${attack.what}: ${told(visits)}, ${runs} times (${isWithin ? 'within' : 'OVER'} ${p99Max.toFixed(0)} ms)`,
  )
  if (!isWithin) process.exitCode = 1
}

/** All threads of a process, by chrt(1) of util-linux. */
function schedule(how: readonly string[], pid: number): boolean {
  return Bun.spawnSync(['chrt', '--all-tasks', ...how, String(pid)]).success
}

function residentBytes(): Promise<number> {
  return place.process?.residentBytes() ?? Promise.resolve(0)
}

/** Of the service, in all its threads (proc(5): fields 14 and 15, in hundredths of a second). */
async function cpuSeconds(): Promise<number> {
  const stat = await Bun.file(`/proc/${place.process?.pid}/stat`).text()
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function besideStranger(share: number): Promise<readonly number[]> {
  const code = `for (;;) { const end = performance.now() + ${10 * share}; while (performance.now() < end); await Bun.sleep(${10 - 10 * share}) }`
  const stranger = Bun.spawn([process.execPath, '-e', code])
  try {
    return await visitor.visit(seconds)
  } finally {
    stranger.kill()
  }
}

function at(times: readonly number[], share: number): number {
  return times[Math.ceil(share * times.length) - 1] ?? Number.NaN
}

function p99(times: readonly number[]): number {
  return at(times, 0.99)
}

function told(times: readonly number[]): string {
  return `p50 ${at(times, 0.5).toFixed(2)} ms, p99 ${p99(times).toFixed(2)} ms, max ${at(times, 1).toFixed(2)} ms of ${times.length}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
