import type { ServiceProcess } from '#tests/support/processes/service-process.ts'
import type { Row } from './rows.ts'

/** Of a process, as Linux counts it: hundredths of a second. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await Bun.file(`/proc/${pid}/stat`).text()
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Of all processors of this machine since its start, with what others did on them. */
export async function busySeconds(): Promise<number> {
  const stat = await Bun.file('/proc/stat').text()
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = stat
    .slice(0, stat.indexOf('\n'))
    .split(/ +/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / 100
}

/** Watches the service's resident memory from now on. */
export function peakMemory(service: Pick<ServiceProcess, 'residentBytes'>) {
  let peak = 0
  const timer = setInterval(() => {
    // A process that has ended has none.
    const reading = service.residentBytes().catch(() => 0)
    void reading.then((bytes) => {
      peak = Math.max(peak, bytes)
    })
  }, 50)
  return {
    /** As a row, with the budget of publishing. */
    stop(): Row {
      clearInterval(timer)
      const value = peak / 1024 / 1024
      return { what: 'resident memory, at most', value, unit: 'MB', budget: 256, detail: '' }
    },
  }
}
