import type { Choices } from '#web/admin/parts/filter-bar.tsx'
import { ListPage, type ListQuery } from '#web/admin/parts/list-page.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { jobColumns } from './job-columns.tsx'
import { JobDetail } from './job-detail.tsx'

const said = listsWords.jobsPage

/** `/admin/jobs`: the uploads of the last day. */
export const JobsPage = () => (
  <ListPage
    columns={jobColumns}
    detail={(job, onDone) => <JobDetail job={job} onDone={onDone} />}
    empty={said.empty}
    filters={filters}
    keyOf={({ id }) => id}
    list={listJobs}
    searchIn={said.searchIn}
    title={said.title}
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
