import { words } from '#web/words/words.ts'

const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** `3 minutes ago`, `yesterday`; below a minute `just now`. */
export function timeAgo(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000)
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  if (unit === undefined) return words.parts.justNow
  return formatOf(words.locale).format(-Math.trunc(seconds / unit[1]), unit[0])
}

const formats = new Map<string, Intl.RelativeTimeFormat>()

/** Takes longer to make than a row of a list. */
function formatOf(locale: string): Intl.RelativeTimeFormat {
  const format = formats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  formats.set(locale, format)
  return format
}
