import type { Locale } from './locales.ts'

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `812 B`, `1.5 MB`, `120 GB`: in steps of 1000, as browsers and operating systems show sizes; in German `1,5 MB`. */
export function byteText(bytes: number, locale: Locale = 'en'): string {
  let value = bytes
  let unit = 0
  // 999.95 kB would print as "1,000 kB"
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value.toLocaleString(locale, { maximumFractionDigits: 1 })} ${units[unit]}`
}

/** What something may have at most: `100 MiB` where that was set in steps of 1024, otherwise as sizes are shown. */
export function limitText(bytes: number, locale: Locale = 'en'): string {
  const [size, unit] = bytes % gibibyte === 0 ? [gibibyte, 'GiB'] : [mebibyte, 'MiB']
  if (bytes === 0 || bytes % size !== 0) return byteText(bytes, locale)
  return `${(bytes / size).toLocaleString(locale)} ${unit}`
}

const mebibyte = 1024 * 1024
const gibibyte = 1024 * mebibyte
