import type { ReactNode } from 'react'
import { areaWords } from '#web/words/admin/area.ts'
import { AccountPage } from './lists/account-page.tsx'
import { AccountsPage } from './lists/accounts-page.tsx'
import { AllowListPage } from './lists/allow-list-page.tsx'
import { AuditPage } from './lists/audit-page.tsx'
import { DomainsPage } from './lists/domains-page.tsx'
import { ErrorsPage } from './lists/errors-page.tsx'
import { InvitationsPage } from './lists/invitations-page.tsx'
import { JobsPage } from './lists/jobs-page.tsx'
import { ReportsPage } from './lists/reports-page.tsx'
import { SitePage } from './lists/site-page.tsx'
import { SitesPage } from './lists/sites-page.tsx'
import { LogsPage } from './logs/logs-page.tsx'
import { OverviewPage } from './overview-page.tsx'
import { Link } from './parts/link.tsx'
import { Page } from './parts/page.tsx'

const said = areaWords.pageAt

/** The page at this path. */
export function pageAt(path: string): ReactNode {
  const [, , section = '', ...rest] = path.split('/')
  const [did, rkey] = rest.map(decoded)
  if (section === 'sites' && did && rkey) return <SitePage did={did} key={path} rkey={rkey} />
  if (section === 'accounts' && did && rest.length === 1)
    return <AccountPage did={did} key={path} />
  const SectionPage = rest.length === 0 ? sectionPages.get(section) : undefined
  return SectionPage ? <SectionPage key={section} /> : <UnknownPage />
}

const sectionPages = new Map([
  ['', OverviewPage],
  ['logs', LogsPage],
  ['errors', ErrorsPage],
  ['sites', SitesPage],
  ['accounts', AccountsPage],
  ['domains', DomainsPage],
  ['jobs', JobsPage],
  ['reports', ReportsPage],
  ['allow-list', AllowListPage],
  ['invitations', InvitationsPage],
  ['audit', AuditPage],
])

const UnknownPage = () => (
  <Page title={said.title}>
    <p>
      {said.text} <Link href="/admin">{said.overview}</Link>.
    </p>
  </Page>
)

/** Null: no text is written like that. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}
