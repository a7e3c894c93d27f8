import { useCallback, useEffect, useRef } from 'react'
import { partsWords } from '#web/words/admin/parts.ts'
import 'uplot/dist/uPlot.min.css'
import {
  hasValues,
  lineText,
  type Metric,
  type Series,
  strokeOf,
  type Unit,
} from '#web/admin/series.ts'
import { useAsked, useEvery } from '#web/admin/use-asked.ts'
import { Problem } from '#web/parts/controls/problem.tsx'
import { call } from '#web/server/api.ts'
import styles from './chart.module.css'
import { ChartTable } from './chart-table.tsx'
import type { Drawn, Shown } from './plot.ts'

const said = partsWords.chart

interface ChartProps {
  readonly metric: Metric
  readonly timeWindowMs: number
  /** Null: it stays as it is. */
  readonly refreshEveryMs: number | null
}

/** Lines over time, with the same in words and as a table. */
export function Chart({
  metric: { metric, title, unit },
  timeWindowMs,
  refreshEveryMs,
}: ChartProps) {
  const ask = useCallback(
    () => call('GET /api/admin/series', { query: { metric, timeWindow: String(timeWindowMs) } }),
    [metric, timeWindowMs],
  )
  const [{ value, problem }, reload] = useAsked(ask)
  useEvery(refreshEveryMs, reload)
  return (
    <figure aria-label={title} className={styles['chart']}>
      <figcaption>
        <h3 className={styles['title']}>{title}</h3>
        {value === null && problem === null && <p>{said.loading}</p>}
        {value !== null && <Legend series={value} unit={unit} />}
      </figcaption>
      {problem !== null && <Problem>{problem}</Problem>}
      {value !== null && !hasValues(value) && <p className={styles['empty']}>{said.none}</p>}
      {value !== null && hasValues(value) && (
        <Plot series={value} timeWindowMs={timeWindowMs} unit={unit} />
      )}
      {value !== null && <ChartTable series={value} title={title} unit={unit} />}
    </figure>
  )
}

/** Which line is what, and what it says now. */
const Legend = ({ series: { series }, unit }: { series: Series; unit: Unit }) => (
  <ul className={styles['legend']}>
    {series.map(({ name, values }, at) => {
      const { isSecond, dash } = strokeOf(at)
      const { highest, now } = lineText(values, unit)
      return (
        <li key={name}>
          <svg aria-hidden="true" className={isSecond ? styles['second'] : styles['first']}>
            <path d="M0 4h24" strokeDasharray={dash.join(' ')} />
          </svg>
          {name} <strong>{now}</strong>{' '}
          <span>
            {said.highest} {highest}
          </span>
        </li>
      )
    })}
  </ul>
)

interface PlotProps extends Shown {
  readonly unit: Unit
}

/** The picture; those who do not see it have the words and the table. */
function Plot({ series, timeWindowMs, unit }: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<Drawn | null>(null)
  const latest = useRef<Shown>({ series, timeWindowMs })
  useEffect(() => {
    latest.current = { series, timeWindowMs }
    drawn.current?.update(latest.current)
  }, [series, timeWindowMs])
  useEffect(() => {
    let isHere = true
    void import('./plot.ts').then(({ drawPlot }) => {
      if (isHere && place.current) drawn.current = drawPlot(place.current, latest.current, unit)
    })
    return () => {
      isHere = false
      drawn.current?.remove()
      drawn.current = null
    }
  }, [unit])
  return <div aria-hidden="true" className={styles['plot']} ref={place} />
}
