import { parseShallowJson } from '#outbound/shallow-json.ts'
import {
  changeEvents,
  type FirehoseFormat,
  isObject,
  problem,
  type RepoEvent,
  siteEvents,
  stepOf,
} from './firehose-format.ts'

/** A replay meets live events out of order (jetstream-legacy issue 42): each connection begins this far back. */
const rewindUs = 10_000_000

/** How far a source's clock may be ahead of ours. */
const clockSkewMs = 5 * 60_000

/** Larger frames are not parsed. A record of 1 MiB, with longer links and bytes in JSON, fills half of it. */
export const frameCharsMax = 4 * 1024 * 1024
/** The event and its commit, without the record: ingest reads that with its proof. */
const eventLimits = { depthMax: 2, charsMax: 16 * 1024 }

/** Parameters that the operator's address may not set. */
const parametersOfOurs = [
  'cursor',
  'wantedCollections',
  'maxMessageSizeBytes',
  'compress',
  'requireHello',
]

/**
 * Jetstream: JSON, only of the wanted collections, and of changes to whole accounts. A cursor is a time in
 * microseconds; the source sends the events from then on. Not compressed: that needs a dictionary, and saves little
 * with few collections.
 */
export const jetstream: FirehoseFormat = {
  isRoughlyOrdered: true,

  address({ base, cursor, collections }) {
    const url = new URL(base)
    for (const name of parametersOfOurs) url.searchParams.delete(name)
    for (const collection of collections) url.searchParams.append('wantedCollections', collection)
    if (cursor !== null) url.searchParams.set('cursor', String(Math.max(0, cursor - rewindUs)))
    return url
  },

  read(data, collections) {
    if (typeof data !== 'string') return problem('unreadable frame')
    if (data.length > frameCharsMax) return problem('frame too large')
    try {
      const event = parseShallowJson(data, eventLimits)
      if (!isObject(event)) return problem('unreadable frame')
      return stepOf(event['time_us'], eventsOf(event, collections))
    } catch {
      return problem('unreadable frame') // not JSON, or too much of it
    }
  },

  // Without a message, the source starts with its oldest event when it no longer has the cursor's. If it had all
  // of them, it would send the event at the cursor again.
  gapBefore: (first, cursor) => (first > cursor ? 'outdated-cursor' : null),

  // The source does not reject a cursor of the future either: it sends only new events.
  isFuture: (cursor, now) => cursor > (now + clockSkewMs) * 1000,

  timeOf: ({ number }) => number / 1000,
}

function eventsOf(
  { kind, did, commit }: Record<string, unknown>,
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  switch (kind) {
    case 'commit':
      if (!isObject(commit)) return null
      return siteEvents(
        did,
        [{ collection: commit['collection'], rkey: commit['rkey'] }],
        collections,
      )
    case 'account':
      return changeEvents('account', did)
    case 'identity':
      return changeEvents('identity', did)
    default:
      return typeof kind === 'string' ? [] : null // of another version of the protocol
  }
}
