import type { AnswerTo } from '#api/contract/client.ts'
import styles from '#web/admin/logs/log-detail.module.css'
import { Stack, TraceLink, textOf } from '#web/admin/logs/log-detail.tsx'
import type { Column } from '#web/admin/parts/data-table.tsx'
import { Facts } from '#web/admin/parts/facts.tsx'
import { ListPage, type ListQuery, OpenLink } from '#web/admin/parts/list-page.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { services } from '#web/admin/services.ts'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.errorsPage

type ErrorEntry = AnswerTo<'GET /api/admin/errors'>['errors'][number]

/** `/admin/errors`: each distinct error with its count, stack and last requests. */
export function ErrorsPage() {
  return (
    <ListPage
      columns={columns}
      detail={(entry) => <ErrorDetail entry={entry} />}
      empty={said.empty}
      filters={[services]}
      keyOf={({ id }) => id}
      list={listErrors}
      searchIn={said.searchIn}
      title={said.title}
    />
  )
}

async function listErrors(query: ListQuery) {
  const { errors, cursor = null } = await call('GET /api/admin/errors', {
    query: { cursor: '', ...query },
  })
  return { rows: errors, cursor }
}

const columns: readonly Column<ErrorEntry>[] = [
  { head: 'Last seen', cell: ({ lastSeen }) => <When at={lastSeen} /> },
  {
    head: 'Error',
    isWide: true,
    cell: ({ id, message }) => <OpenLink of={id}>{message}</OpenLink>,
  },
  { head: 'Times', isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
  { head: 'Service', isMinor: true, cell: ({ service }) => service },
]

function ErrorDetail({ entry }: { entry: ErrorEntry }) {
  const { context, lastSeen, service, stack, timestamp, traceIds } = entry
  return (
    <div className={styles['detail']}>
      <Facts
        facts={[
          ['First seen', timestamp],
          ['Last seen', lastSeen],
          ['Service', service],
          ...Object.entries(context).map(([name, value]) => [name, textOf(value)] as const),
        ]}
      />
      {traceIds.length > 0 && (
        <section aria-label={said.lastRequests}>
          <h3 className={styles['title']}>{said.lastRequestsTitle}</h3>
          <ul className={styles['traces']}>
            {traceIds.map((id) => (
              <li key={id}>
                <TraceLink id={id} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <Stack stack={stack} />
    </div>
  )
}
