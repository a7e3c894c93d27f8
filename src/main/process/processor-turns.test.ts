import { expect, test } from 'bun:test'

const program = `
import { takeTurns } from ${JSON.stringify(`${import.meta.dir}/processor-turns.ts`)}
import { readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
const turn = () => Number(/se\\.slice\\s*:\\s*(\\d+)/.exec(readFileSync('/proc/thread-self/sched', 'utf8'))?.[1] ?? Number.NaN)
// Those of whoever began this program were its own so far.
const granted = [takeTurns('usual')]
const usual = turn()
granted.push(takeTurns('short'))
process.stdout.write(JSON.stringify({ granted, usual, short: turn(), nice: getPriority() }))
`

/** What the program says at this priority; lengths are null where Linux does not tell them. */
async function take(nice: number) {
  const cmd = ['nice', '-n', String(nice), process.execPath, '-e', program]
  const child = Bun.spawn({ cmd, stdout: 'pipe' })
  return await new Response(child.stdout).json()
}

test.if(process.platform === 'linux').each([0, 5])(
  'turns are usual or short, where Linux knows that; priority %i stays',
  async (nice) => {
    const told = await take(nice)
    expect(told).toMatchObject({ granted: [true, true], nice })
    expect(told.usual).not.toBe(200_000)
    // The usual ones: a Linux that keeps all turns alike.
    expect(told.short).toBeOneOf([told.usual, 200_000])
  },
)
