import { useState } from 'react'
import { type Series, type Unit, valueText } from '#web/admin/series.ts'
import { partsWords } from '#web/words/admin/parts.ts'
import styles from './chart.module.css'
import { DataTable } from './data-table.tsx'
import { timeText } from './time-text.ts'

const said = partsWords.chartTable

interface ChartTableProps {
  readonly title: string
  readonly series: Series
  readonly unit: Unit
}

/** A chart as rows, newest first; made only when it is opened. */
export function ChartTable({ title, series, unit }: ChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles['table']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title} as a table</summary>
      {isOpen && (
        <div className={styles['rows']}>
          <DataTable
            columns={[
              {
                head: 'Until',
                cell: (at: number) => timeText(new Date(series.times[at] ?? 0), new Date()),
              },
              ...series.series.map(({ name, values }) => ({
                head: name,
                cell: (at: number) => valueText(values[at], unit),
                isNumber: true,
              })),
            ]}
            keyOf={String}
            label={said.label(title)}
            rows={series.times.map((_, at) => at).reverse()}
          />
        </div>
      )}
    </details>
  )
}
