import { afterAll, beforeAll, describe, test } from 'bun:test'
import { describeCrossOrigin } from './cross-origin.ts'
import { describeOwnership } from './ownership.ts'
import { describeRaces } from './races.ts'
import { play } from './row.ts'
import { rows } from './rows.ts'
import { describeSessions } from './sessions.ts'
import { openStage, type Stage } from './stage.ts'
import { describeStream } from './stream.ts'

// The specification as a table: what docs/spec/interface.md promises in its §4, §5 and §7, with the decisions on
// what it leaves open, asked over HTTP of a service on a real network. One world for all of it.

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
}, 120_000)
afterAll(() => stage[Symbol.asyncDispose]())

describe('the answers', () => {
  for (const row of rows) {
    test(`${row.section} ${row.route}: ${row.what}`, () => play(row, stage), 120_000)
  }
})

describeStream(() => stage)
describeOwnership(() => stage)
describeSessions(() => stage)
describeCrossOrigin(() => stage)
describeRaces(() => stage)
