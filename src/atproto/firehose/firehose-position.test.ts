import { describe, expect, test } from 'bun:test'
import type { FirehoseFormat, GapReason } from './firehose-format.ts'
import { FirehosePosition } from './firehose-position.ts'
import { subscribeRepos } from './firehose-repos.ts'
import { jetstream } from './jetstream.ts'

const now = 1_800_000_000_000

/** What comes of the first numbers after connecting with `cursor`: the gaps, and the cursor at the end. */
function after(format: FirehoseFormat, cursor: number | null, ...numbers: number[]) {
  const position = new FirehosePosition(format, cursor)
  const asked = position.connect(now)
  const gaps: (GapReason | null)[] = [position.open()]
  for (const number of numbers) gaps.push(position.step(number).gap)
  return { asked, gaps: gaps.filter((gap) => gap !== null), cursor: position.cursor }
}

describe('one by one', () => {
  const facts: [string, number | null, number[], ReturnType<typeof after>][] = [
    ['for the first time', null, [5, 6], { asked: null, gaps: ['no-cursor'], cursor: 6 }],
    ['nothing came yet', 4, [], { asked: 4, gaps: [], cursor: 4 }],
    ['continues', 4, [5, 6], { asked: 4, gaps: [], cursor: 6 }],
    ['the last one again', 4, [4, 5], { asked: 4, gaps: [], cursor: 5 }],
    ['one is missing', 4, [6, 7], { asked: 4, gaps: ['outdated-cursor'], cursor: 7 }],
    ['started anew', 4, [1, 2], { asked: 4, gaps: ['future-cursor'], cursor: 2 }],
    ['one is missing later', 4, [5, 9], { asked: 4, gaps: [], cursor: 9 }],
    ['goes back later', 4, [5, 6, 2, 3], { asked: 4, gaps: [], cursor: 6 }],
    ['from the very beginning', 0, [1], { asked: 0, gaps: [], cursor: 1 }],
  ]
  test.each(facts)('%s', (_, cursor, numbers, expected) =>
    expect(after(subscribeRepos, cursor, ...numbers)).toEqual(expected),
  )
})

describe('by time', () => {
  const us = now * 1000
  const late = us + 300_000_001
  const facts: [string, number | null, number[], ReturnType<typeof after>][] = [
    ['for the first time', null, [us], { asked: null, gaps: ['no-cursor'], cursor: us }],
    ['the last one again', us, [us, us + 1], { asked: us, gaps: [], cursor: us + 1 }],
    ['some before it', us, [us - 9, us - 7, us - 8, us], { asked: us, gaps: [], cursor: us }],
    ['not the last one', us, [us + 1], { asked: us, gaps: ['outdated-cursor'], cursor: us + 1 }],
    ['a cursor of the future', late, [us], { asked: null, gaps: ['future-cursor'], cursor: us }],
  ]
  test.each(facts)('%s', (_, cursor, numbers, expected) =>
    expect(after(jetstream, cursor, ...numbers)).toEqual(expected),
  )
})

describe('over several connections', () => {
  test('a refused cursor is given up, and what comes next counts', () => {
    const position = new FirehosePosition(subscribeRepos, 50)
    position.connect(now)
    position.refuse()
    expect(position.connect(now)).toBeNull()
    expect(position.open()).toBe('future-cursor')
    expect(position.step(3)).toEqual({ gap: null, isBehind: false })
    expect(position.connect(now)).toBe(3)
    expect(position.open()).toBeNull()
  })
  test('a loss that the source reports is one gap', () => {
    const position = new FirehosePosition(subscribeRepos, 5)
    position.connect(now)
    expect(position.clamp()).toBe('outdated-cursor')
    expect(position.step(90)).toEqual({ gap: null, isBehind: false })
  })
  test('a connection without a number asks as before', () => {
    const position = new FirehosePosition(subscribeRepos, 5)
    position.connect(now)
    expect(position.connect(now)).toBe(5)
    expect(position.step(9).gap).toBe('outdated-cursor')
  })
  test('repeated and out-of-order numbers are behind', () => {
    const position = new FirehosePosition(subscribeRepos, 5)
    position.connect(now)
    const isBehind = [6, 6, 4, 7].map((number) => position.step(number).isBehind)
    expect(isBehind).toEqual([false, true, true, false])
  })
})
