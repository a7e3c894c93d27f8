import { useCallback } from 'react'
import type { Column } from '#web/admin/parts/data-table.tsx'
import type { Choices } from '#web/admin/parts/filter-bar.tsx'
import { ListPage, type ListQuery, OpenLink } from '#web/admin/parts/list-page.tsx'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { services } from '#web/admin/services.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { call } from '#web/server/api.ts'
import { addressWith, goTo, useAddress } from '#web/shell/routing/address.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { LogDetail } from './log-detail.tsx'
import type { LogEntry } from './log-entry.ts'
import { useFollowedLog } from './use-followed-log.ts'

const said = listsWords.logsPage

/** `/admin/logs`: what happened, with search and live tail. */
export function LogsPage() {
  const { searchParams } = useAddress()
  const isFollowing = searchParams.has('follow')
  const filter = filterOf(searchParams)
  const { connection, entries, problem } = useFollowedLog(isFollowing ? filter : null)
  // Read again with each connection: there may be a gap between the list and the stream.
  const list = useCallback((query: ListQuery) => listLogs(query, connection), [connection])
  const follow = () => goTo(addressWith({ follow: isFollowing ? null : '1', cursor: null }))
  return (
    <ListPage
      columns={columns}
      corner={
        <Button look="secondary" onClick={follow}>
          {isFollowing ? 'Pause' : 'Follow live'}
        </Button>
      }
      detail={(entry) => <LogDetail entry={entry} />}
      empty={said.empty}
      filters={[...filters, eventFilter(searchParams.get('eventType'))]}
      keyOf={({ id }) => id}
      list={list}
      newer={entries}
      searchIn={said.searchIn}
      title={said.title}
      warning={problem}
    />
  )
}

async function listLogs(query: ListQuery, _connection: number) {
  const { logs, cursor = null } = await call('GET /api/admin/logs', {
    query: { cursor: '', ...query },
  })
  return { rows: logs, cursor }
}

/** The part of the query that chooses entries. */
function filterOf(query: URLSearchParams): string {
  const keys = ['search', 'level', 'service', 'eventType']
  return new URLSearchParams([...query].filter(([key]) => keys.includes(key))).toString()
}

const columns: readonly Column<LogEntry>[] = [
  { head: 'Time', cell: ({ timestamp }) => <When at={timestamp} /> },
  {
    head: 'Level',
    cell: ({ level }) => <StatusWord tone={tones[level]}>{level}</StatusWord>,
  },
  {
    head: 'Message',
    isWide: true,
    cell: (entry) => (
      <>
        <OpenLink of={entry.id}>{entry.message}</OpenLink> <span>{gist(entry)}</span>
      </>
    ),
  },
  { head: 'Service', isMinor: true, cell: ({ service }) => service },
]

const tones = { debug: 'rest', info: 'info', warn: 'warn', error: 'bad' } as const

/** What one looks for first: whose, which, why. */
function gist({ context }: LogEntry): string {
  const { did, site, host, reason, error, actor } = context
  const whose = typeof did === 'string' && typeof site === 'string' ? `${did}/${site}` : did
  return [whose, host, actor, reason ?? error]
    .filter((fact) => typeof fact === 'string')
    .map((fact) => shortened(fact))
    .join(' · ')
}

const gistMax = 120
const shortened = (text: string): string =>
  text.length > gistMax ? `${text.slice(0, gistMax)}…` : text

const filters: readonly Choices[] = [
  {
    name: 'level',
    label: 'Level',
    choices: [
      ['error', 'error'],
      ['warn', 'warn'],
      ['info', 'info'],
      ['debug', 'debug'],
    ],
  },
  services,
]

/** Events that one asks for; of others, the one that is chosen by its entry. */
function eventFilter(chosen: string | null): Choices {
  const names = chosen === null || usualEvents.includes(chosen) ? [] : [chosen]
  const choices = [...usualEvents, ...names].map((name) => [name, wordsOf(name)] as const)
  return { name: 'eventType', label: 'Event', choices }
}

const wordsOf = (name: string): string => name.replaceAll('_', ' ')

const usualEvents: readonly string[] = [
  'publish_started',
  'publish_ended',
  'publish_failed',
  'version_live',
  'version_refused',
  'signed_in',
  'sign_in_refused',
  'domain_verified',
  'domain_lost',
  'certificate_permitted',
  'certificate_refused',
  'account_hidden',
  'account_back',
  'account_deleted',
  'admin_signed_in',
  'admin_refused',
]
