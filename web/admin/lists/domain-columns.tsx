import type { AnswerTo } from '#api/contract/client.ts'
import type { Column } from '#web/admin/parts/data-table.tsx'
import { Link } from '#web/admin/parts/link.tsx'
import { OpenLink } from '#web/admin/parts/list-page.tsx'
import { AccountLink, SiteLink } from '#web/admin/parts/places.tsx'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { useAddress } from '#web/shell/routing/address.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { CertificateWord } from './certificate-word.tsx'

const said = listsWords.domainColumns

export type AdminDomain = AnswerTo<'GET /api/admin/domains'>['domains'][number]

export const domainColumns: readonly Column<AdminDomain>[] = [
  { head: 'Domain', isWide: true, cell: ({ domain }) => <DomainLink domain={domain} /> },
  { head: 'State', cell: (domain) => <DomainState domain={domain} /> },
  {
    head: 'Certificate',
    isMinor: true,
    // Behind a TLS front, which keeps them.
    isAbsent: ({ certificate }) => certificate === undefined,
    cell: ({ certificate }) => <CertificateWord certificate={certificate} />,
  },
  {
    head: 'Account',
    isMinor: true,
    cell: ({ did, handle }) => <AccountLink did={did} handle={handle} />,
  },
  {
    head: 'Site',
    isMinor: true,
    cell: ({ did, rkey }) => (rkey === null ? '–' : <SiteLink did={did} rkey={rkey} />),
  },
  { head: 'Since', isMinor: true, cell: ({ createdAt }) => <When at={createdAt} /> },
]

/** Opens the name in the list, or leads there. */
function DomainLink({ domain }: { domain: string }) {
  const { pathname } = useAddress()
  if (pathname === '/admin/domains') return <OpenLink of={domain}>{domain}</OpenLink>
  const query = new URLSearchParams({ search: domain, open: domain })
  return <Link href={`/admin/domains?${query}`}>{domain}</Link>
}

function DomainState({ domain: { type, verified, warning } }: { domain: AdminDomain }) {
  if (type === 'sitehost') return <StatusWord tone="good">{said.ours}</StatusWord>
  if (!verified) return <StatusWord tone="warn">{said.waitingForDns}</StatusWord>
  if (warning !== null) return <StatusWord tone="warn">{said.verifiedWarned}</StatusWord>
  return <StatusWord tone="good">{said.verified}</StatusWord>
}
