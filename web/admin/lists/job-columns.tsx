import type { AnswerTo } from '#api/contract/client.ts'
import type { Column } from '#web/admin/parts/data-table.tsx'
import { Link } from '#web/admin/parts/link.tsx'
import { OpenLink } from '#web/admin/parts/list-page.tsx'
import { AccountLink, SiteLink } from '#web/admin/parts/places.tsx'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { formatBytes } from '#web/parts/bytes.ts'
import { useAddress } from '#web/shell/routing/address.ts'

export type AdminJob = AnswerTo<'GET /api/admin/jobs'>['jobs'][number]

export const jobColumns: readonly Column<AdminJob>[] = [
  { head: 'Started', cell: (job) => <JobLink job={job} /> },
  { head: 'Status', cell: ({ status }) => <JobStatus status={status} /> },
  { head: 'Site', cell: ({ did, rkey }) => <SiteLink did={did} rkey={rkey} /> },
  {
    head: 'Account',
    isMinor: true,
    cell: ({ did, handle }) => <AccountLink did={did} handle={handle} />,
  },
  { head: 'Why it failed', isMinor: true, isWide: true, cell: ({ error }) => error ?? '' },
  { head: 'Size', isMinor: true, isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
]

/** Opens the upload in the list, or leads there. */
function JobLink({ job: { createdAt, id } }: { job: AdminJob }) {
  const { pathname } = useAddress()
  const time = <When at={createdAt} />
  if (pathname === '/admin/jobs') return <OpenLink of={id}>{time}</OpenLink>
  return <Link href={`/admin/jobs?${new URLSearchParams({ search: id, open: id })}`}>{time}</Link>
}

const JobStatus = ({ status }: Pick<AdminJob, 'status'>) => (
  <StatusWord tone={tones[status]}>{words[status]}</StatusWord>
)

const tones = {
  pending: 'rest',
  processing: 'info',
  uploading: 'info',
  completed: 'good',
  failed: 'bad',
} as const

const words = {
  pending: 'Waiting',
  processing: 'Reading',
  uploading: 'Sending',
  completed: 'Done',
  failed: 'Failed',
} as const
