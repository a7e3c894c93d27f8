import type { AnswerTo } from '#api/contract/client.ts'
import { formatBytes } from '#web/parts/bytes.ts'
import { Problem } from '#web/parts/controls/problem.tsx'
import { call } from '#web/server/api.ts'
import { areaWords } from '#web/words/admin/area.ts'
import { type Column, DataTable } from './parts/data-table.tsx'
import styles from './parts/detail.module.css'
import { useAsked, useEvery } from './use-asked.ts'

const said = areaWords.caches

type Caches = AnswerTo<'GET /api/admin/cache'>
type Tier = { readonly name: string } & Caches[keyof Caches]

const readCaches = () => call('GET /api/admin/cache', {})

/** What the hosting part keeps in memory for visitors, or that it cannot be reached. */
export function Caches({ refreshEveryMs }: { refreshEveryMs: number | null }) {
  const [{ value, problem }, reload] = useAsked(readCaches)
  useEvery(refreshEveryMs, reload)
  return (
    <section aria-labelledby="caches" className={styles['section']}>
      <h2 id="caches">{said.title}</h2>
      {problem !== null && <Problem>{problem}</Problem>}
      {value !== null && (
        <DataTable
          columns={columns}
          keyOf={({ name }) => name}
          label={said.table}
          rows={tiersOf(value)}
        />
      )}
    </section>
  )
}

const tiersOf = ({ snapshots, bodies, hosts }: Caches): readonly Tier[] => [
  { name: 'Sites', ...snapshots },
  { name: 'Files', ...bodies },
  { name: 'Addresses', ...hosts },
]

const columns: readonly Column<Tier>[] = [
  { head: 'What', cell: ({ name }) => name },
  { head: 'Entries', isNumber: true, cell: ({ entries }) => entries.toLocaleString('en') },
  { head: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  { head: 'At most', isNumber: true, isMinor: true, cell: ({ bytesMax }) => formatBytes(bytesMax) },
  { head: 'Found', isNumber: true, cell: shareFound },
  {
    head: 'Evicted',
    isNumber: true,
    isMinor: true,
    cell: ({ evictions }) => evictions.toLocaleString('en'),
  },
]

/** Of the look-ups, how many found an entry. */
function shareFound({ hits, misses }: Tier): string {
  const asked = hits + misses
  return asked === 0 ? '–' : `${((hits / asked) * 100).toFixed(1)} %`
}
