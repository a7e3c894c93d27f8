import type { AnswerTo } from '#api/contract/client.ts'
import { textOf } from '#web/admin/logs/log-detail.tsx'
import type { Column } from '#web/admin/parts/data-table.tsx'
import { Facts } from '#web/admin/parts/facts.tsx'
import { ListPage, type ListQuery, OpenLink } from '#web/admin/parts/list-page.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.auditPage

type AuditEntry = AnswerTo<'GET /api/admin/audit'>['entries'][number]

/** `/admin/audit`: who did what, and why. */
export const AuditPage = () => (
  <ListPage
    columns={columns}
    detail={(entry) => <AuditDetail entry={entry} />}
    empty={said.empty}
    keyOf={({ id }) => id}
    list={listAudit}
    searchIn={said.searchIn}
    title={said.title}
  />
)

async function listAudit(query: ListQuery) {
  const { entries, cursor } = await call('GET /api/admin/audit', { query })
  return { rows: entries, cursor }
}

const columns: readonly Column<AuditEntry>[] = [
  { head: 'Time', cell: ({ at }) => <When at={at} /> },
  { head: 'Who', cell: ({ actor }) => actor },
  { head: 'What', cell: ({ id, action }) => <OpenLink of={id}>{action}</OpenLink> },
  { head: 'To what', isMinor: true, cell: ({ subject }) => <code>{subject}</code> },
  { head: 'Why', isMinor: true, isWide: true, cell: ({ reason }) => reason },
]

const AuditDetail = ({ entry }: { entry: AuditEntry }) => (
  <Facts
    facts={[
      ['Time', entry.at],
      ['To what', entry.subject],
      ['Why', entry.reason],
      ...Object.entries(entry.details).map(([name, value]) => [name, textOf(value)] as const),
    ]}
  />
)
