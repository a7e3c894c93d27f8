/**
 * Milliseconds of processor time that this takes on its own thread: as many on a busy machine as on a
 * quiet one. The runtime's helper threads (compiler, garbage collector) work for the whole test run and
 * do not count.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
