import { type EventServer, isWanted, type LoggedFrame, startEventServer } from './event-server.ts'

/**
 * A Jetstream as the public ones are: a cursor is a time, events from then on are replayed; one of the
 * future, or one whose events are gone, is not mentioned.
 */
export function startJetstreamServer(): EventServer {
  return startEventServer({
    path: '/subscribe',
    replay(query, log) {
      const cursor = query.has('cursor') ? Number(query.get('cursor')) : Number.POSITIVE_INFINITY
      const frames = log.filter((logged) => logged.number >= cursor && isWanted(logged, query))
      return { frames: frames.map(({ frame }) => frame) }
    },
  })
}

/** A record that was written, as Jetstream tells it. */
export function jetstreamCommit(timeUs: number, did: string, path: string): LoggedFrame {
  const [collection = '', rkey = ''] = path.split('/')
  const commit = {
    rev: '3kaaaaaaaaaa2',
    operation: 'create',
    collection,
    rkey,
    record: { $type: collection, createdAt: '2026-01-01T00:00:00.000Z' },
    cid: 'bafyreih4g7bvo6hdq2juolev5bfzpbo4ewkxh5mzxwgvkjp3kitc6hqkha',
  }
  return { ...jetstreamEvent(timeUs, { did, kind: 'commit', commit }), collection }
}

export function jetstreamAccount(timeUs: number, did: string, account: object): LoggedFrame {
  const facts = { did, seq: timeUs, time: '2026-01-01T00:00:00.000Z', ...account }
  return jetstreamEvent(timeUs, { did, kind: 'account', account: facts })
}

export function jetstreamIdentity(timeUs: number, did: string): LoggedFrame {
  const identity = { did, handle: 'a.example', seq: timeUs, time: '2026-01-01T00:00:00.000Z' }
  return jetstreamEvent(timeUs, { did, kind: 'identity', identity })
}

export function jetstreamEvent(timeUs: number, event: object): LoggedFrame {
  return { number: timeUs, frame: JSON.stringify({ time_us: timeUs, ...event }) }
}
