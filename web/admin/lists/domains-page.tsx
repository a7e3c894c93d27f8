import { ListPage, type ListQuery } from '#web/admin/parts/list-page.tsx'
import { call } from '#web/server/api.ts'
import { domainColumns } from './domain-columns.tsx'
import { DomainDetail } from './domain-detail.tsx'

/** `/admin/domains`: the names of all accounts. */
export const DomainsPage = () => (
  <ListPage
    columns={domainColumns}
    detail={(domain, onDone) => <DomainDetail domain={domain} onDone={onDone} />}
    empty="No names yet."
    keyOf={({ domain }) => domain}
    list={listDomains}
    searchIn="A part of the name, or its owner’s whole DID."
    title="Domains"
  />
)

async function listDomains(query: ListQuery) {
  const { domains, cursor } = await call('GET /api/admin/domains', { query })
  return { rows: domains, cursor }
}
