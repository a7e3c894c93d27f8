import { ListPage, type ListQuery } from '#web/admin/parts/list-page.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { domainColumns } from './domain-columns.tsx'
import { DomainDetail } from './domain-detail.tsx'

const said = listsWords.domainsPage

/** `/admin/domains`: the names of all accounts. */
export const DomainsPage = () => (
  <ListPage
    columns={domainColumns}
    detail={(domain, onDone) => <DomainDetail domain={domain} onDone={onDone} />}
    empty={said.empty}
    keyOf={({ domain }) => domain}
    list={listDomains}
    searchIn={said.searchIn}
    title={said.title}
  />
)

async function listDomains(query: ListQuery) {
  const { domains, cursor } = await call('GET /api/admin/domains', { query })
  return { rows: domains, cursor }
}
