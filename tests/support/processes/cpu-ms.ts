/**
 * Milliseconds of processor time that this takes on its own thread: as many on a busy machine as on a
 * quiet one, and on a slow machine no more than on one that needs `referenceMs` for its reference. The
 * runtime's helper threads (compiler, garbage collector) work for the whole test run and do not count.
 */
export function cpuMs(work: () => void): number {
  const since = cpuClock()
  work()
  return since()
}

/** The same of what is not done at once: starts now, and each call tells the milliseconds so far. */
export function cpuClock(): () => number {
  slowness ??= slownessOfMachine()
  const divisor = slowness
  const before = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000 / divisor
  }
}

const referenceMs = 8
/** Of this machine in this process; measured once. */
let slowness: number | undefined

/** How many times as long as the reference machine this one takes; 1 for any that is faster. */
function slownessOfMachine(): number {
  const entries = Array.from({ length: 20_000 }, (_, size) => ({ name: `${size}`, node: { size } }))
  const text = JSON.stringify(entries)
  const takes = Array.from({ length: 8 }, () => {
    const before = process.threadCpuUsage()
    for (const _ of [1, 2]) JSON.parse(text)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000
  })
  // A pause of the garbage collector is not the machine's.
  takes.sort((a, b) => a - b)
  return Math.max(1, (takes[2] ?? 0) / referenceMs)
}
