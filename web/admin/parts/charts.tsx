import type { Metric } from '#web/admin/series.ts'
import { addressWith, goTo, useAddress } from '#web/shell/routing/address.ts'
import { partsWords } from '#web/words/admin/parts.ts'
import { Chart } from './chart.tsx'
import styles from './charts.module.css'

const said = partsWords.charts

const minuteMs = 60_000

const windows = [
  { key: '15m', text: '15 minutes', ms: 15 * minuteMs },
  { key: '1h', text: '1 hour', ms: 60 * minuteMs },
  { key: '6h', text: '6 hours', ms: 360 * minuteMs },
  { key: '24h', text: '24 hours', ms: 1440 * minuteMs },
] as const

const usual = windows[1]

const metrics: readonly Metric[] = [
  { metric: 'requests', title: 'Requests', unit: 'a minute' },
  { metric: 'latency', title: 'Latency', unit: 'ms' },
  { metric: 'errors', title: 'Server errors', unit: 'a minute' },
  { metric: 'ingest-lag', title: 'Ingest lag', unit: 's' },
  { metric: 'disk', title: 'Disk left', unit: 'bytes' },
]

/** One chart for each metric, over the time that the address says. */
export function Charts({ refreshEveryMs }: { refreshEveryMs: number | null }) {
  const chosen = useAddress().searchParams.get('window')
  const window = windows.find(({ key }) => key === chosen) ?? usual
  return (
    <section aria-labelledby="charts" className={styles['section']}>
      <div className={styles['head']}>
        <h2 id="charts">{said.title}</h2>
        <fieldset className={styles['windows']}>
          <legend className="visually-hidden">{said.choice}</legend>
          {windows.map(({ key, text }) => (
            <label key={key}>
              <input
                checked={key === window.key}
                name="window"
                onChange={() => goTo(addressWith({ window: key }))}
                type="radio"
              />
              {text}
            </label>
          ))}
        </fieldset>
      </div>
      <div className={styles['charts']}>
        {metrics.map((metric) => (
          <Chart
            key={metric.metric}
            metric={metric}
            refreshEveryMs={refreshEveryMs}
            timeWindowMs={window.ms}
          />
        ))}
      </div>
    </section>
  )
}
