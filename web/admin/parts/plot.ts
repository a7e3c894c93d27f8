import UPlot from 'uplot'
import { type Series, strokeOf, type Unit, valueText } from '#web/admin/series.ts'

export interface Shown {
  readonly series: Series
  /** How long before the last value the picture begins. */
  readonly timeWindowMs: number
}

export interface Drawn {
  readonly update: (shown: Shown) => void
  readonly remove: () => void
}

const heightPx = 168
/** Between two times, at least. */
const timeSpacePx = 56
/** Room for `1,000 MB`. */
const axisPx = 64

/** Draws lines into `place`, as wide as it is, in the colours of the page's scheme. */
export function drawPlot(place: HTMLElement, first: Shown, unit: Unit): Drawn {
  let shown = first
  const seen = () => shown
  let plot = draw(place, seen, unit)
  const redraw = () => {
    plot.destroy()
    plot = draw(place, seen, unit)
  }
  const resized = new ResizeObserver(() =>
    plot.setSize({ width: place.clientWidth, height: heightPx }),
  )
  resized.observe(place)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  scheme.addEventListener('change', redraw)
  return {
    update(next) {
      const isSameLines = namesOf(next.series) === namesOf(shown.series)
      shown = next
      if (isSameLines) plot.setData(dataOf(shown.series))
      else redraw()
    },
    remove() {
      scheme.removeEventListener('change', redraw)
      resized.disconnect()
      plot.destroy()
    },
  }
}

function draw(place: HTMLElement, seen: () => Shown, unit: Unit): UPlot {
  const { series } = seen()
  const colours = getComputedStyle(place)
  const colour = (name: string) => colours.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--ink-soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${colour('--font')}`,
  }
  return new UPlot(
    {
      width: place.clientWidth,
      height: heightPx,
      series: [
        {},
        ...series.series.map(({ name }, at) => ({
          label: name,
          stroke: colour(strokeOf(at).isSecond ? '--info' : '--accent'),
          width: 1.5,
          dash: strokeOf(at).dash,
        })),
      ],
      legend: { show: false },
      scales: {
        // The whole window, also while there is little in it yet.
        x: { range: () => windowOf(seen()) },
        y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
      },
      axes: [
        { ...axis, space: timeSpacePx, values: (_, marks) => marks.map(timeMark) },
        { ...axis, size: axisPx, values: (_, marks) => marks.map((mark) => markText(mark, unit)) },
      ],
      cursor: { drag: { x: false, y: false } },
    },
    dataOf(series),
    place,
  )
}

function windowOf({ series: { times }, timeWindowMs }: Shown): [number, number] {
  const last = times.at(-1) ?? Date.now()
  return [(last - timeWindowMs) / 1000, last / 1000]
}

const dataOf = ({ times, series }: Series): UPlot.AlignedData => [
  times.map((ms) => ms / 1000),
  ...series.map(({ values }) => [...values]),
]

const namesOf = ({ series }: Series): string => series.map(({ name }) => name).join()

const markText = (mark: number, unit: Unit): string =>
  unit === 'bytes' ? valueText(mark, unit) : mark.toLocaleString('en')

const timeMark = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString('en', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
