import { type EventName, eventNames } from '#observe/events.ts'
import type { Family } from '#observe/metrics.ts'
import type { Counts } from '#observe/tally.ts'

/** What the log calls events, of all threads; each is there from the start, with 0. */
export function eventFamilies(countsOfThreads: () => readonly Counts[]): Family[] {
  const countOf = (event: EventName): number =>
    countsOfThreads().reduce((sum, counts) => sum + (counts[event] ?? 0), 0)
  const family = (
    name: string,
    help: string,
    label: string,
    events: Readonly<Record<string, EventName>>,
  ): Family => ({
    name,
    help,
    kind: 'counter',
    read: () =>
      Object.entries(events).map(([value, event]) => ({
        labels: { [label]: value },
        value: countOf(event),
      })),
  })
  return [
    family(
      'sitehost_events_total',
      'Events of the log, under their names there.',
      'event',
      Object.fromEntries(eventNames.map((event) => [event, event])),
    ),
    family(
      'sitehost_publishes_total',
      'Publishes that have ended, by outcome (completed, failed, cancelled).',
      'outcome',
      { completed: 'publish_ended', failed: 'publish_failed', cancelled: 'publish_cancelled' },
    ),
    family(
      'sitehost_certificate_requests_total',
      'Answers to a TLS front about names, by answer (permitted, refused).',
      'answer',
      { permitted: 'certificate_permitted', refused: 'certificate_refused' },
    ),
  ]
}
