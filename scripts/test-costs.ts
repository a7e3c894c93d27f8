import { afterAll, beforeAll } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

// Loaded before the tests (`npm run test:costs`): writes a line about each file to $TEST_COSTS. It needs Linux.

/** Of /proc: a hundredth of a second. */
const tickMs = 10

interface Usage {
  readonly parent: string
  /** Of the process, in milliseconds. */
  readonly own: number
  /** Of its children that have ended. */
  readonly ended: number
}

let before = totals()
let beganAt = 0
beforeAll(() => {
  beganAt = Date.now()
})
afterAll(() => {
  const after = totals()
  const children = after.children - before.children
  const cpu = after.own - before.own + children
  const seconds = [cpu, children, Date.now() - beganAt].map((ms) => (ms / 1000).toFixed(2))
  const line = [...seconds, relative(process.cwd(), Bun.main)].join('\t')
  appendFileSync(process.env['TEST_COSTS'] ?? '/dev/stderr', `${line}\n`)
  before = after
})

/** Of this process, and of all that it has started. */
function totals(): { own: number; children: number } {
  const usages = new Map<string, Usage>()
  for (const pid of readdirSync('/proc')) {
    const usage = /^\d+$/.test(pid) ? usageOf(pid) : null
    if (usage !== null) usages.set(pid, usage)
  }
  const me = String(process.pid)
  const descends = (pid: string | undefined): boolean =>
    pid !== undefined && (pid === me || descends(usages.get(pid)?.parent))
  let children = usages.get(me)?.ended ?? 0
  for (const [pid, { own, ended, parent }] of usages) {
    if (pid !== me && descends(parent)) children += own + ended
  }
  return { own: usages.get(me)?.own ?? 0, children }
}

/** Null when it has ended. */
function usageOf(pid: string): Usage | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program may have spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ms = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) * tickMs
    return { parent: fields[1] ?? '', own: ms(11), ended: ms(13) }
  } catch {
    return null
  }
}
