import type { AnswerTo } from '#api/contract/client.ts'
import type { Column } from '#web/admin/parts/data-table.tsx'
import { ListPage, type ListQuery } from '#web/admin/parts/list-page.tsx'
import { AccountLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { formatBytes } from '#web/parts/bytes.ts'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { AccountStatus } from './account-status.tsx'

const said = listsWords.accountsPage

type Account = AnswerTo<'GET /api/admin/accounts'>['accounts'][number]

/** `/admin/accounts`: all accounts, newest first. */
export const AccountsPage = () => (
  <ListPage
    columns={columns}
    empty={said.empty}
    keyOf={({ did }) => did}
    list={listAccounts}
    searchIn={said.searchIn}
    title={said.title}
  />
)

async function listAccounts(query: ListQuery) {
  const { accounts, cursor } = await call('GET /api/admin/accounts', { query })
  return { rows: accounts, cursor }
}

const columns: readonly Column<Account>[] = [
  { head: 'Account', cell: ({ did, handle }) => <AccountLink did={did} handle={handle} /> },
  { head: 'Status', cell: ({ status }) => <AccountStatus status={status} /> },
  { head: 'Sites', isNumber: true, cell: ({ sites }) => sites },
  { head: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  { head: 'DID', isMinor: true, cell: ({ did }) => <code>{did}</code> },
  { head: 'Here since', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
]
