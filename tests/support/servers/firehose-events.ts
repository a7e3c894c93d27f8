import type { FirehoseEvent } from '#atproto/firehose/firehose-format.ts'
import { type FirehoseOptions, followFirehoseInBatches } from '#atproto/firehose/follow-firehose.ts'

/** `followFirehoseInBatches`, event by event. */
export async function* firehoseEvents(options: FirehoseOptions): AsyncGenerator<FirehoseEvent> {
  for await (const batch of followFirehoseInBatches(options, 1)) yield* batch
}
