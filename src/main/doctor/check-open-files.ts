import { readFile } from 'node:fs/promises'
import { type Finding, ok, problem, warning } from '#cli/diagnosis/finding.ts'

/** A connection is one, and so is a file that is sent. */
const fewFiles = 4_096
const tooFewFiles = 1_024
const advice = 'LimitNOFILE=65536 in the unit, or ulimit -n 65536 before the start'

/** How many files `whose` process may have open. `limits`: of Linux's /proc. */
export function checkOpenFiles(limits: string, whose: string): Finding {
  const [, text = ''] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  const files = text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text || Number.NaN)
  const seen = `${whose} may have ${text} files open`
  if (Number.isNaN(files)) {
    return warning('open files', 'the limit cannot be read on this system', 'see ulimit -n')
  }
  if (files < tooFewFiles) return problem('open files', seen, advice)
  return files < fewFiles ? warning('open files', seen, advice) : ok('open files', seen)
}

/** Of a process; null: it is not there, or may not be looked at. */
export const readLimits = (pid: string): Promise<string | null> =>
  readFile(`/proc/${pid}/limits`, 'utf8').catch(() => null)
