import { expect, test } from 'bun:test'
import { smallFiles } from '#tests/support/publishing/upload-files.ts'
import { eventsOf } from './row.ts'
import { Scene } from './scene.ts'
import type { Stage } from './stage.ts'

/** What each event `progress` tells (decisions.md §7). */
interface JobState {
  readonly status: string
  readonly progress: { readonly currentFile: string | null }
}

const count = expect.any(Number)

/** The stream of §4.5 as somebody has it who follows an upload: its states are not known in advance, their shape is. */
export function describeStream(stage: () => Stage): void {
  test('a stream that is open while its job runs has states of one shape, then the result', async () => {
    await using scene = new Scene(stage())
    await scene.upload('alice', 'followed', smallFiles(40, 'followed'))
    const { client } = stage().people.alice
    const answer = await client.fetch(`/sitehost/upload-progress/${scene.facts['jobId']}`)
    const events = eventsOf(await answer.text())
    const [end] = events.slice(-1)
    const states = events.slice(0, -1)
    expect(end).toEqual(['done', expect.objectContaining({ success: true, siteName: 'followed' })])
    expect(states.length).toBeGreaterThan(1)
    for (const [event, state] of states) {
      expect<unknown>([event, state]).toEqual(['progress', shapeOf(state as JobState, end?.[1])])
    }
  })
}

const shapeOf = ({ status, progress: { currentFile } }: JobState, result: unknown) => ({
  status: expect.stringMatching(/^(?:pending|processing|uploading|completed)$/),
  progress: {
    phase: expect.stringMatching(
      /^(?:validating|compressing|uploading|creating_manifest|finalizing|done)$/,
    ),
    totalFiles: 40,
    ...{ filesProcessed: count, filesUploaded: count, filesReused: count },
    ...{ bytesTotal: count, bytesUploaded: count },
    currentFile: currentFile === null ? null : expect.any(String),
  },
  result: status === 'completed' ? result : null,
  error: null,
})
