import { decodeCbor, endOfCbor } from '#atproto/repo/bounded-cbor.ts'
import {
  changeEvents,
  type FirehoseFormat,
  type FirehoseFrame,
  frameBytesMax,
  isObject,
  problem,
  type RepoEvent,
  siteEvents,
  stepOf,
} from './firehose-format.ts'

export const subscribeReposPath = '/xrpc/com.atproto.sync.subscribeRepos'

/** Most operations of a commit (`com.atproto.sync.subscribeRepos#commit`). */
const opsMax = 200

/** All steps of an account server or relay, numbered one by one; the source sends those after the cursor. */
export const subscribeRepos: FirehoseFormat = {
  isRoughlyOrdered: false,

  address({ base, cursor }) {
    const url = new URL(subscribeReposPath, base)
    url.search = base.search
    url.searchParams.delete('cursor')
    if (cursor !== null) url.searchParams.set('cursor', String(cursor))
    return url
  },

  read(data, collections) {
    if (!(data instanceof Uint8Array)) return problem('unreadable frame')
    if (data.byteLength > frameBytesMax) return problem('frame too large')
    try {
      const bodyAt = endOfCbor(data)
      const header = decodeCbor(data.subarray(0, bodyAt))
      const body = decodeCbor(data.subarray(bodyAt))
      if (!isObject(header) || !isObject(body)) return problem('unreadable frame')
      if (header['op'] === 1) return messageOf(header['t'], body, collections)
      return header['op'] === -1 ? errorOf(body) : problem('unreadable frame')
    } catch {
      return problem('unreadable frame') // not CBOR, or too much of it
    }
  },

  // Relays send neither FutureCursor nor OutdatedCursor (indigo issue 1328), so the numbers decide. A skipped
  // number looks like a loss too: checking the known accounts once more does no harm.
  gapBefore(first, cursor) {
    if (first < cursor) return 'future-cursor'
    return first > cursor + 1 ? 'outdated-cursor' : null
  },

  isFuture: () => false,

  timeOf({ time }) {
    const ms = Date.parse(time ?? '')
    return Number.isNaN(ms) ? null : ms
  },
}

type Body = Record<string, unknown>

function errorOf({ error }: Body): FirehoseFrame {
  if (error === 'FutureCursor') return { kind: 'future-cursor' }
  if (error === 'ConsumerTooSlow') return problem('too slow for the source')
  return problem('refused')
}

function messageOf(type: unknown, body: Body, collections: ReadonlySet<string>): FirehoseFrame {
  if (typeof type !== 'string') return problem('unreadable frame')
  if (type === '#info' && body['name'] === 'OutdatedCursor') return { kind: 'outdated-cursor' }
  return stepOf(body['seq'], eventsOf(type, body, collections), body['time'])
}

function eventsOf(
  type: string,
  body: Body,
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  switch (type) {
    case '#commit':
      return commitEvents(body, collections)
    case '#account':
      return changeEvents('account', body['did'])
    case '#identity':
      return changeEvents('identity', body['did'])
    case '#sync':
      return changeEvents('sync', body['did'])
    default:
      return [] // of another version of the protocol
  }
}

function commitEvents(
  { repo, ops, tooBig }: Body,
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  if (!Array.isArray(ops)) return null
  // Older servers leave out the operations of a large commit.
  if (tooBig === true || ops.length > opsMax) return changeEvents('sync', repo)
  return siteEvents(repo, ops.map(recordOf), collections)
}

function recordOf(op: unknown) {
  const path = isObject(op) ? op['path'] : undefined
  // A third piece makes the key invalid, however many follow.
  const [collection, ...key] = typeof path === 'string' ? path.split('/', 3) : []
  return { collection, rkey: key.join('/') }
}
