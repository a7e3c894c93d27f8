import type { AnswerTo } from '#api/contract/client.ts'
import { areaWords } from '#web/words/admin/area.ts'
import { type Column, DataTable } from './parts/data-table.tsx'
import styles from './parts/detail.module.css'
import { StatusWord } from './parts/status-word.tsx'
import { durationText } from './parts/time-text.ts'

const said = areaWords.instances

type Instance = AnswerTo<'GET /api/admin/overview'>['instances'][number]

/** Each is seen every two seconds. */
const lateSeconds = 15

/** The instances that share the database; nothing where there is only one. */
export function Instances({ instances }: { instances: readonly Instance[] }) {
  if (instances.length === 0) return null
  return (
    <section aria-labelledby="instances" className={styles['section']}>
      <h2 id="instances">{said.title}</h2>
      <DataTable columns={columns} keyOf={({ id }) => id} label={said.table} rows={instances} />
    </section>
  )
}

const columns: readonly Column<Instance>[] = [
  { head: 'Address', cell: ({ address }) => address },
  { head: 'Seen', cell: seen },
  { head: 'Uploads', isNumber: true, cell: ({ jobs }) => jobs.toLocaleString('en') },
  { head: 'Deploys', isNumber: true, cell: ({ deploys }) => deploys.toLocaleString('en') },
  { head: 'Roles', isMinor: true, cell: ({ roles }) => roles },
  { head: 'Version', isMinor: true, cell: ({ version }) => version },
  { head: 'Since', isMinor: true, cell: ({ startedAt }) => new Date(startedAt).toLocaleString() },
  { head: 'Id', isMinor: true, cell: ({ id }) => id },
]

function seen({ seenSeconds }: Instance) {
  const text = `${durationText(seenSeconds)} ago`
  if (seenSeconds <= lateSeconds) return text
  return <StatusWord tone="bad">{text}</StatusWord>
}
