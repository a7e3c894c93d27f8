import type { FirehoseEvent } from './firehose-event.ts'
import { type FirehoseOptions, FirehoseReader } from './firehose-reader.ts'
import { parseFirehoseUrl } from './firehose-source.ts'

export type { FirehoseEvent } from './firehose-event.ts'
export type { FirehoseOptions } from './firehose-reader.ts'

/**
 * The events of a source, in its order, over as many connections as it takes, until the signal ends it or
 * the loop is left; so many at once as have come, one at least and `batchMax` at most. At least once: after a
 * reconnect some come again. Frames that are none are skipped and
 * told. Whoever takes events slower than they come is waited for: the source's connection is not read
 * meanwhile, and what is held here stays within `queueEventsMax` and the content of one socket buffer.
 * Throws TypeError for an address that `parseFirehoseUrl` does not take.
 */
export async function* followFirehoseInBatches(
  options: FirehoseOptions,
  batchMax: number,
): AsyncGenerator<readonly FirehoseEvent[]> {
  const source = parseFirehoseUrl(options.url)
  if (source === null) throw new TypeError('not the address of a firehose')
  const left = new AbortController()
  const signal = AbortSignal.any([options.signal, left.signal])
  const reader = new FirehoseReader(source, options)
  const reading = reader.run(signal)
  try {
    while (!signal.aborted && !reader.hasEnded) {
      const batch = takeUpTo(batchMax, reader)
      if (batch.length === 0) await reader.arrival()
      else yield batch
    }
  } finally {
    left.abort()
    await reading
  }
}

function takeUpTo(max: number, reader: FirehoseReader): FirehoseEvent[] {
  const batch: FirehoseEvent[] = []
  while (batch.length < max) {
    const event = reader.take()
    if (event === undefined) break
    batch.push(event)
  }
  return batch
}
