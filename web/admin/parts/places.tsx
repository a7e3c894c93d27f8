import { partsWords } from '#web/words/admin/parts.ts'
import { Link } from './link.tsx'

const said = partsWords.places

interface Owner {
  readonly did: string
  readonly handle: string | null
}

/** To an account's page. */
export const AccountLink = ({ did, handle }: Owner) => (
  <Link href={`/admin/accounts/${encodeURIComponent(did)}`}>{handle ?? did}</Link>
)

interface SiteLinkProps {
  readonly did: string
  readonly rkey: string
}

/** To a site's page here. */
export const SiteLink = ({ did, rkey }: SiteLinkProps) => (
  <Link href={`/admin/sites/${encodeURIComponent(did)}/${encodeURIComponent(rkey)}`}>{rkey}</Link>
)

/** To what the log says about something. */
export const LogLink = ({ search }: { search: string }) => (
  <Link href={`/admin/logs?search=${encodeURIComponent(search)}`}>{said.log}</Link>
)
