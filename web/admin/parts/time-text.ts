/** `14:03:07` today, `Nov 3, 14:03:07` this year, else with the year. */
export function timeText(at: Date, now: Date): string {
  const time = at.toLocaleTimeString('en', { hourCycle: 'h23' })
  if (at.toDateString() === now.toDateString()) return time
  const isThisYear = at.getFullYear() === now.getFullYear()
  const date = { month: 'short', day: 'numeric' } as const
  const day = at.toLocaleDateString('en', isThisYear ? date : { ...date, year: 'numeric' })
  return `${day}, ${time}`
}

/** `3 days`, `5 hours`, `2 minutes`, `40 seconds`: the largest unit alone. */
export function durationText(seconds: number): string {
  for (const [size, unit] of units) {
    if (seconds >= size) return counted(Math.floor(seconds / size), unit)
  }
  return counted(Math.floor(seconds), 'second')
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

const counted = (count: number, unit: string): string =>
  count.toLocaleString('en', { style: 'unit', unit, unitDisplay: 'long' })
