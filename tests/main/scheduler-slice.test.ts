import { expect, test } from 'bun:test'

const program = `
import { setSchedulerSlice } from '#main/process/scheduler-slice.ts'
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
const slice = () => Number(/se\\.slice\\s*:\\s*(\\d+)/.exec(readFileSync('/proc/thread-self/sched', 'utf8'))?.[1] ?? Number.NaN)
// Those of whoever began this program were its own so far.
const granted = [setSchedulerSlice('usual')]
const usual = slice()
granted.push(setSchedulerSlice('short'))
process.stdout.write(JSON.stringify({ granted, usual, short: slice(), nice: getPriority() }))
`

/** What the program says at this priority; lengths are null where Linux does not tell them. */
async function take(nice: number) {
  const cmd = ['nice', '-n', String(nice), process.execPath, '-e', program]
  const child = Bun.spawn({ cmd, stdout: 'pipe' })
  return await new Response(child.stdout).json()
}

test.if(process.platform === 'linux').each([0, 5])(
  'slices are usual or short, where Linux knows that; priority %i stays',
  async (nice) => {
    const seen = await take(nice)
    expect(seen).toMatchObject({ granted: [true, true], nice })
    expect(seen.usual).not.toBe(200_000)
    // The usual ones: a Linux that keeps all slices alike.
    expect(seen.short).toBeOneOf([seen.usual, 200_000])
  },
)
