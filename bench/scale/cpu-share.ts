import { existsSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

const root = '/sys/fs/cgroup'
/** The kernel’s own choice: the share is kept more exactly than with a short one. */
const periodMicros = 100_000

/**
 * Gives each of these processes this part of a processor, until disposal: a server of which that is the bound, however
 * busy the load keeps the rest of the machine. Needs the right to make control groups (cgroups 7).
 */
export async function shareCpu(pids: readonly number[], part: number): Promise<AsyncDisposable> {
  const dirs: string[] = []
  for (const pid of pids) {
    const isFirstVersion = existsSync(join(root, 'cpu'))
    const dir = join(root, isFirstVersion ? 'cpu' : '', `sitehost-bench-${pid}`)
    await mkdir(dir)
    dirs.push(dir)
    const quota = Math.round(part * periodMicros)
    if (isFirstVersion) {
      await Bun.write(join(dir, 'cpu.cfs_period_us'), String(periodMicros))
      await Bun.write(join(dir, 'cpu.cfs_quota_us'), String(quota))
    } else await Bun.write(join(dir, 'cpu.max'), `${quota} ${periodMicros}`)
    await Bun.write(join(dir, 'cgroup.procs'), String(pid))
  }
  return {
    async [Symbol.asyncDispose]() {
      const home = join(root, existsSync(join(root, 'cpu')) ? 'cpu' : '', 'cgroup.procs')
      for (const pid of pids) await Bun.write(home, String(pid))
      for (const dir of dirs) await rmdir(dir)
    },
  }
}
