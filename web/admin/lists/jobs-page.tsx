import type { Choices } from '#web/admin/parts/filter-bar.tsx'
import { ListPage, type ListQuery } from '#web/admin/parts/list-page.tsx'
import { call } from '#web/server/api.ts'
import { jobColumns } from './job-columns.tsx'
import { JobDetail } from './job-detail.tsx'

/** `/admin/jobs`: the uploads of the last day. */
export const JobsPage = () => (
  <ListPage
    columns={jobColumns}
    detail={(job, onDone) => <JobDetail job={job} onDone={onDone} />}
    empty="No uploads in the last day."
    filters={filters}
    keyOf={({ id }) => id}
    list={listJobs}
    searchIn="A part of an upload’s id, its owner’s DID, its site’s name or its error."
    title="Jobs"
  />
)

async function listJobs(query: ListQuery) {
  const { jobs, cursor } = await call('GET /api/admin/jobs', { query })
  return { rows: jobs, cursor }
}

const filters: readonly Choices[] = [
  {
    name: 'status',
    label: 'Status',
    choices: [
      ['pending', 'Waiting'],
      ['processing', 'Reading'],
      ['uploading', 'Sending'],
      ['completed', 'Done'],
      ['failed', 'Failed'],
    ],
  },
]
