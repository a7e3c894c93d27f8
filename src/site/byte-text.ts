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
