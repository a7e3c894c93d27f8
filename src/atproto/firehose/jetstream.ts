import { parseShallowJson } from '#outbound/shallow-json.ts'
import {
  changeWakeUps,
  type FirehoseFormat,
  type FirehoseFrame,
  isObject,
  isStepNumber,
  problem,
  type RepoEvent,
  recordIn,
  siteWakeUps,
} from './firehose-format.ts'

/**
 * Events come only roughly in order where a replay meets what happens now (jetstream-legacy issue 42), so
 * every connection begins this far behind the newest event that was seen.
 */
const rewindUs = 10_000_000

/** How far a source's clock may be ahead of ours. */
const clockSkewMs = 5 * 60_000

/** Larger ones are not looked at: with a record of 1 MiB, whose links and bytes are longer in JSON, it is half full. */
export const frameCharsMax = 4 * 1024 * 1024
/** The event and its commit, without the record: that is read where it can be proven. */
const eventLimits = { depthMax: 2, charsMax: 16 * 1024 }

/** What the operator may not decide: it would change what comes, and how. */
const parametersOfOurs = [
  'cursor',
  'wantedCollections',
  'maxMessageSizeBytes',
  'compress',
  'requireHello',
]

/**
 * Jetstream: the network as JSON, of which the source sends only the wanted collections, and what concerns
 * whole accounts. A cursor is a time in microseconds; events from then on come. It is not compressed: that
 * needs a dictionary, and saves little where little is wanted.
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
      return isObject(event) ? stepOf(event, collections) : problem('unreadable frame')
    } catch {
      return problem('unreadable frame') // not JSON, or too much of it
    }
  },

  // The source says nothing when it no longer has what a cursor asks for, and starts with the oldest that it
  // has. If it had all, the event at the cursor would come again.
  gapBefore: (first, cursor) => (first > cursor ? 'outdated-cursor' : null),

  // A cursor of the future is not refused either: only new events come.
  isFuture: (cursor, now) => cursor > (now + clockSkewMs) * 1000,
}

type Event = Record<string, unknown>

function stepOf(event: Event, collections: ReadonlySet<string>): FirehoseFrame {
  const number = event['time_us']
  const wakeUps = wakeUpsOf(event, collections)
  return isStepNumber(number) && wakeUps
    ? { kind: 'step', number, wakeUps }
    : problem('malformed event')
}

function wakeUpsOf(
  { kind, did, commit }: Event,
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  switch (kind) {
    case 'commit': {
      if (!isObject(commit)) return null
      const record = recordIn(collections, commit['collection'], commit['rkey'])
      return siteWakeUps(did, record ? [record] : [])
    }
    case 'account':
      return changeWakeUps('account', did)
    case 'identity':
      return changeWakeUps('identity', did)
    default:
      return typeof kind === 'string' ? [] : null // of another version of the protocol
  }
}
