import type { AnswerTo } from '#api/contract/client.ts'
import type { Column } from '#web/admin/parts/data-table.tsx'
import type { Choices } from '#web/admin/parts/filter-bar.tsx'
import { ListPage, type ListQuery, OpenLink } from '#web/admin/parts/list-page.tsx'
import { SiteLink } from '#web/admin/parts/places.tsx'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { ReportDetail } from './report-detail.tsx'

const said = listsWords.reportsPage

type Report = AnswerTo<'GET /api/admin/reports'>['reports'][number]

/** `/admin/reports`: what visitors complain about. */
export const ReportsPage = () => (
  <ListPage
    columns={columns}
    detail={(report, onDone) => <ReportDetail onDone={onDone} report={report} />}
    empty={said.empty}
    filters={filters}
    keyOf={({ id }) => id}
    list={listReports}
    searchIn={said.searchIn}
    title={said.title}
  />
)

async function listReports(query: ListQuery) {
  const { reports, cursor } = await call('GET /api/admin/reports', { query })
  return { rows: reports, cursor }
}

const columns: readonly Column<Report>[] = [
  { head: 'Last', cell: ({ lastAt }) => <When at={lastAt} /> },
  {
    head: 'State',
    cell: ({ state }) => (
      <StatusWord tone={state === 'open' ? 'warn' : 'rest'}>
        {state === 'open' ? 'Open' : 'Handled'}
      </StatusWord>
    ),
  },
  { head: 'Kind', cell: ({ id, kind }) => <OpenLink of={id}>{kind}</OpenLink> },
  { head: 'Site', cell: ({ did, rkey }) => <SiteLink did={did} rkey={rkey} /> },
  { head: 'What it says', isMinor: true, isWide: true, cell: ({ text }) => shortened(text) },
  { head: 'Times', isMinor: true, isNumber: true, cell: ({ times }) => times },
]

const shownMax = 140
const shortened = (text: string): string =>
  text.length > shownMax ? `${text.slice(0, shownMax)}…` : text

const kinds: readonly Report['kind'][] = ['phishing', 'malware', 'copyright', 'illegal', 'other']

const filters: readonly Choices[] = [
  {
    name: 'state',
    label: 'State',
    choices: [
      ['open', 'Open'],
      ['handled', 'Handled'],
    ],
  },
  {
    name: 'kind',
    label: 'Kind',
    choices: kinds.map((kind) => [kind, kind] as const),
  },
]
