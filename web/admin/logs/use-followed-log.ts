import { useEffect, useState } from 'react'
import { readSession } from '#web/admin/admin-session.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import type { LogEntry } from './log-entry.ts'

const said = listsWords.useFollowedLog

interface FollowedLog {
  /** Newest first, since the connection was made. */
  readonly entries: readonly LogEntry[]
  /** Counts connections: a new one may have missed entries. */
  readonly connection: number
  readonly problem: string | null
}

/** Older ones are in the list, page by page. */
const entriesMax = 500

const nothing: FollowedLog = { entries: [], connection: 0, problem: null }

/** The entries that come in from now on and that the filter, as a query, leaves; null: follows nothing. */
export function useFollowedLog(filter: string | null): FollowedLog {
  const [followed, setFollowed] = useState(nothing)
  useEffect(() => {
    if (filter === null) return
    const source = new EventSource(`/api/admin/logs/stream?${filter}`)
    source.addEventListener('open', () =>
      setFollowed(({ connection }) => ({ ...nothing, connection: connection + 1 })),
    )
    source.addEventListener('log', ({ data }) => {
      const entry = JSON.parse(data) as LogEntry
      setFollowed((before) => ({
        ...before,
        entries: [entry, ...before.entries].slice(0, entriesMax),
      }))
    })
    source.addEventListener('error', () => {
      // Otherwise the browser connects again.
      if (source.readyState !== EventSource.CLOSED) return
      setFollowed((before) => ({ ...before, problem: hasEnded }))
      void readSession()
    })
    return () => {
      source.close()
      setFollowed(({ connection }) => ({ ...nothing, connection }))
    }
  }, [filter])
  return followed
}

const hasEnded = said.ended
