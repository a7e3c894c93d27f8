import type { Family, Sample } from '#observe/metrics.ts'
import type { IngestNumbers } from './ingest-numbers.ts'

/** What ingest has counted, as it was a second ago; nothing before it has started. */
export function ingestFamilies(latest: () => IngestNumbers | null, now: () => number): Family[] {
  const family = (
    name: string,
    help: string,
    kind: Family['kind'],
    samplesOf: (numbers: IngestNumbers) => readonly Sample[],
  ): Family => ({
    name: `sitehost_${name}`,
    help,
    kind,
    read() {
      const numbers = latest()
      return numbers === null ? [] : samplesOf(numbers)
    },
  })
  return [
    family(
      'firehose_connected',
      '1: connected to the source at FIREHOSE_URL. Not of an instance for which another one reads it.',
      'gauge',
      ({ firehose }) => (firehose.isElsewhere ? [] : [{ value: Number(firehose.isConnected) }]),
    ),
    family(
      'firehose_lag_seconds',
      'The longest time between an event and its being queued, in the last minute; 0 when nothing came.',
      'gauge',
      ({ firehose }) => [{ value: firehose.lagMs / 1000 }],
    ),
    family(
      'firehose_cursor_age_seconds',
      'How long ago the source made the latest event that was read; a quiet source ages too.',
      'gauge',
      ({ firehose: { latestAt } }) =>
        latestAt === null ? [] : [{ value: Math.max(now() - latestAt, 0) / 1000 }],
    ),
    family('firehose_events_total', 'Events read from the source.', 'counter', ({ firehose }) => [
      { value: firehose.steps },
    ]),
    family(
      'firehose_problems_total',
      'Lost connections and unreadable events.',
      'counter',
      ({ firehose }) => [{ value: firehose.problems }],
    ),
    family(
      'work_items',
      'Sites, versions and accounts in the queue of ingest, by kind and state (waiting, parked).',
      'gauge',
      ({ queues }) =>
        Object.entries(queues ?? {}).flatMap(([kind, { parked, waiting }]) => [
          { labels: { kind, state: 'waiting' }, value: waiting },
          { labels: { kind, state: 'parked' }, value: parked },
        ]),
    ),
    family(
      'ingest_lag_seconds',
      'How long the work item that has been due for longest has waited, by kind.',
      'gauge',
      ({ queues }) =>
        Object.entries(queues ?? {}).map(([kind, { lagMs }]) => ({
          labels: { kind },
          value: lagMs / 1000,
        })),
    ),
  ]
}
