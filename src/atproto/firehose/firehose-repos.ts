import { decodeCbor, endOfCbor } from '#atproto/repo/bounded-cbor.ts'
import {
  changeWakeUps,
  type FirehoseFormat,
  type FirehoseFrame,
  frameBytesMax,
  isObject,
  isStepNumber,
  problem,
  type RepoEvent,
  recordIn,
  siteWakeUps,
} from './firehose-format.ts'

export const subscribeReposPath = '/xrpc/com.atproto.sync.subscribeRepos'

/** What a commit may hold (`com.atproto.sync.subscribeRepos#commit`). */
const opsMax = 200

/**
 * `com.atproto.sync.subscribeRepos` of an account server or a relay: every step of every account, numbered
 * one by one. A cursor is the last number that was seen; what follows it comes.
 */
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

  // Relays send neither FutureCursor nor OutdatedCursor (indigo issue 1328), but the numbers tell. One that
  // was left out looks like a loss too: looking at the known accounts once more is no harm.
  gapBefore(first, cursor) {
    if (first < cursor) return 'future-cursor'
    return first > cursor + 1 ? 'outdated-cursor' : null
  },

  isFuture: () => false,
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
  const number = body['seq']
  const wakeUps = wakeUpsOf(type, body, collections)
  return isStepNumber(number) && wakeUps
    ? { kind: 'step', number, wakeUps }
    : problem('malformed event')
}

function wakeUpsOf(
  type: string,
  body: Body,
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  switch (type) {
    case '#commit':
      return commitHints(body, collections)
    case '#account':
      return changeWakeUps('account', body['did'])
    case '#identity':
      return changeWakeUps('identity', body['did'])
    case '#sync':
      return changeWakeUps('sync', body['did'])
    default:
      return [] // of another version of the protocol
  }
}

function commitHints(
  { repo, ops, tooBig }: Body,
  collections: ReadonlySet<string>,
): readonly RepoEvent[] | null {
  if (!Array.isArray(ops)) return null
  // Older servers leave out what a large commit did.
  if (tooBig === true || ops.length > opsMax) return changeWakeUps('sync', repo)
  return siteWakeUps(
    repo,
    ops.flatMap((op: unknown) => recordOf(op, collections) ?? []),
  )
}

function recordOf(op: unknown, collections: ReadonlySet<string>) {
  const path = isObject(op) ? op['path'] : undefined
  const slash = typeof path === 'string' ? path.indexOf('/') : -1
  if (typeof path !== 'string' || slash === -1) return null
  return recordIn(collections, path.slice(0, slash), path.slice(slash + 1))
}
