/** Milliseconds of processor time that this takes: as many on a busy machine as on a quiet one. */
export function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
