import { readFile } from 'node:fs/promises'
import { type Finding, ok, problem, warning } from './finding.ts'

/** A connection is one, and so is a file that is sent. */
const fewFiles = 4_096
const tooFewFiles = 1_024
const advice = 'LimitNOFILE=65536 in the unit, or ulimit -n 65536 before the start'

/** How many files the service may have open: of the running one, else of what this shell starts. `limits`: of Linux's /proc. */
export function checkOpenFiles(limits: string, isOfService: boolean): Finding {
  const [, text = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  const files = text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text || Number.NaN)
  const whose = isOfService ? 'the service' : 'a service started here'
  const seen = `${whose} may have ${text} files open`
  if (Number.isNaN(files)) {
    return warning('open files', 'the limit cannot be read on this system', 'see ulimit -n')
  }
  if (files < tooFewFiles) return problem('open files', seen, advice)
  return files < fewFiles ? warning('open files', seen, advice) : ok('open files', seen)
}

/** Of the process, if it is there and may be looked at, else of this one. */
export async function readLimits(
  pid: string | null,
): Promise<{ limits: string; isOfService: boolean }> {
  const own = () => readFile('/proc/self/limits', 'utf8').catch(() => '')
  const limits = pid && (await readFile(`/proc/${pid}/limits`, 'utf8').catch(() => null))
  return limits ? { limits, isOfService: true } : { limits: await own(), isOfService: false }
}
