import type { ReactNode } from 'react'
import { Facts } from '#web/admin/parts/facts.tsx'
import { Link } from '#web/admin/parts/link.tsx'
import { addressWith } from '#web/shell/routing/address.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import styles from './log-detail.module.css'
import type { LogEntry } from './log-entry.ts'

const said = listsWords.logDetail

/** All that one entry of the log says. */
export function LogDetail({ entry }: { entry: LogEntry }) {
  const { context, eventType, traceId, service, timestamp } = entry
  const { stack, ...facts } = context
  return (
    <div className={styles['detail']}>
      <Facts
        facts={[
          ['Time', timestamp],
          ['Service', service],
          ...(eventType === null
            ? []
            : [['Event', <EventLink key="event" name={eventType} />] as const]),
          ...(traceId === null ? [] : [['Trace', <TraceLink key="trace" id={traceId} />] as const]),
          ...Object.entries(facts).map(([name, value]) => [name, textOf(value)] as const),
        ]}
      />
      <Stack stack={stack} />
    </div>
  )
}

/** To all lines of one request, in all parts of the service. */
export const TraceLink = ({ id }: { id: string }) => (
  <Link href={`/admin/logs?search=${encodeURIComponent(id)}`}>
    <code>{id}</code>
  </Link>
)

const EventLink = ({ name }: { name: string }) => (
  <Link href={addressWith({ eventType: name, cursor: null, open: null })}>
    <code>{name}</code>
  </Link>
)

export function Stack({ stack }: { stack: unknown }): ReactNode {
  if (typeof stack !== 'string') return null
  return (
    <section aria-label={said.stack}>
      <h3 className={styles['title']}>{said.stack}</h3>
      <pre className={styles['stack']}>{stack}</pre>
    </section>
  )
}

/** A value of a context, to be read. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
