import * as Cbor from '@atcute/cbor'
import {
  type EventServer,
  type LoggedFrame,
  type Replay,
  startEventServer,
} from './event-server.ts'

interface ReposServerOptions {
  /** A relay's: it says nothing about cursors that it cannot serve (indigo issue 1328). */
  readonly isSilent?: boolean
}

/**
 * `com.atproto.sync.subscribeRepos` as the reference account server has it: what follows the cursor is
 * replayed, a cursor of the future is refused, and one whose events are gone is told.
 */
export function startReposServer({ isSilent = false }: ReposServerOptions = {}): EventServer {
  return startEventServer({
    path: '/xrpc/com.atproto.sync.subscribeRepos',
    replay(query, log) {
      const text = query.get('cursor')
      return text === null ? { frames: [] } : replayAfter(Number(text), log, isSilent)
    },
  })
}

function replayAfter(cursor: number, log: readonly LoggedFrame[], isSilent: boolean): Replay {
  const frames = log.filter(({ number }) => number > cursor).map(({ frame }) => frame)
  if (isSilent) return { frames }
  if (cursor > (log.at(-1)?.number ?? 0)) {
    return { frames: [errorFrame('FutureCursor')], isRefused: true }
  }
  const isOutdated = cursor + 1 < (log[0]?.number ?? 0)
  return { frames: isOutdated ? [infoFrame('OutdatedCursor'), ...frames] : frames }
}

/** A commit that wrote these records. */
export function reposCommit(seq: number, repo: string, ...paths: readonly unknown[]): LoggedFrame {
  const ops = paths.map((path) => ({ action: 'create', path }))
  return reposEvent('#commit', seq, { repo, rev: '3kaaaaaaaaaa2', ops, blobs: [], tooBig: false })
}

export function reposEvent(type: string, seq: number, facts: object): LoggedFrame {
  return { number: seq, frame: cborFrame({ op: 1, t: type }, { seq, ...facts }) }
}

export const infoFrame = (name: string): Uint8Array =>
  cborFrame({ op: 1, t: '#info' }, { name, message: '' })

export const errorFrame = (error: unknown): Uint8Array =>
  cborFrame({ op: -1 }, { error, message: 'no' })

export function cborFrame(header: unknown, body: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([Cbor.encode(header), Cbor.encode(body)]))
}
